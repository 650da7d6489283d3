// "... rest of the code ..." in a replacement stands for text that is not there: applied as it is, it deletes what it stands for.

const COMMENT = /^\s*(?:#+|\/\/+|\/\*+|\{\/\*|<!--|--|;+|%+)\s*(.*?)\s*(?:\*+\/\}?|-->)?\s*$/;
const DOTS_AT_START = /^(?:\.{3,}|…)\s*/;
const DOTS_AT_END = /\s*(?:\.{3,}|…)$/;
const NOUN =
  '(?:code|file|functions?|methods?|class(?:es)?|module|implementation|body|script|component|lines?|content|imports?|logic|tests?|cases|fields?|props?)';
/** After leading dots any of these words is enough. */
const STANDS_FOR = new RegExp(
  `\\b(?:rest|existing|remaining|remainder|unchanged|omitted|elided|snip(?:ped)?|truncated|as before|as is|previous|original|other|keep|same|${NOUN})\\b`,
  'i',
);
const AND_SO_ON =
  '(?: (?:here|is|are|remains?|stays?|unchanged|continues?|goes|above|below|omitted|elided|the same|as before|as is|as it was|for brevity))*[.:]?';
/** Without leading dots the whole comment has to say it. */
const SAYS_SO = new RegExp(
  `^(?:(?:the )?(?:rest|remainder) of (?:the |this |your |its )?${NOUN}${AND_SO_ON}` +
    `|(?:existing|unchanged|remaining|previous|original|other) ${NOUN}${AND_SO_ON}` +
    `|${NOUN} (?:is |are )?(?:unchanged|omitted|elided|truncated|remains? (?:the same|unchanged))${AND_SO_ON}` +
    '|(?:snip(?:ped)?|unchanged|omitted|same as before|as before)[.:]?)$',
  'i',
);

/** Comment lines of `text`, trimmed, that stand for text they do not contain: `# ... rest of the code ...`, `// existing code here`. */
export function elisionLines(text: string): string[] {
  return text
    .split('\n')
    .filter(isElision)
    .map((line) => line.trim());
}

function isElision(line: string): boolean {
  const said = line.length > 200 ? undefined : COMMENT.exec(line)?.[1];
  if (said === undefined || said === '') return false;
  const core = said.replace(DOTS_AT_START, '').replace(DOTS_AT_END, '');
  if (core === '') return true;
  return SAYS_SO.test(core) || (DOTS_AT_START.test(said) && STANDS_FOR.test(core));
}
