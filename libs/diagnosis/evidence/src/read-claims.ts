// Claims in prose. What is not plainly a claim about one place is passed over: a claim that was never made must not count as a false one.
import type { Claim, EvidencePack } from '@h/contracts';
import { typeOfText } from './compare-values.ts';

const number = String.raw`[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?`;
const string = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
const word = 'True|False|None|true|false|null|undefined|NaN';
const container = String.raw`[([{](?:${string}|[^()[\]{}'"\`\n]|[([{](?:${string}|[^()[\]{}'"\`\n])*[)\]}])*[)\]}]`;
const literal = `(?:${number}|${string}|${word}|${container})`;
const name = String.raw`[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*`;
/** What may follow a value: not "3 items", not "3 times". */
const after = String.raw`(?=\s*(?:$|[,;:)\]]|\.(?!\d)|(?:at|in|when|after|before|and|but|while|on|there|here|from)\b))`;

const variable = new RegExp(
  `(?:\`(?<quoted>${name})\`\\s+(?:was|is|were|held|equals|equalled|had the value|=|==|===)|(?<![\\w$.\`])(?<bare>${name})\\s*={1,3}(?!=))\\s*(?<value>${literal})${after}`,
  'g',
);
const returned = new RegExp(
  `(?:\`(?<quoted>${name})(?:\\(\\))?\`|(?<![\\w$.])(?<bare>${name})\\(\\))\\s+(?:returned|returns|gave)\\s+(?<value>${literal})${after}`,
  'g',
);
const branch =
  /\b(?:branch|condition|decision)\b[^.;]{0,60}?\b(?:was|is|went|came out)\s+(?<value>not taken|taken|true|false)\b/gi;
const place = /(?<![\w/.@-])(?<file>[\w@-][\w./@-]*\.[A-Za-z]\w*):(?<line>\d+)(?![\d:]*\d)/g;
const citation = /(?<![\w\])])\[(?<index>\d+)\]/g;
/** Words by which a sentence says something else than what was. */
const unsure =
  /\b(?:not|never|no longer|cannot|\w+n't|should|would|could|might|may|must|ought|expect\w*|suppos\w*|assum\w*|instead|rather|unless|if|whether|probabl\w*|perhaps|maybe|likely|possibl\w*|want\w*|need\w*|intend\w*|correct\w*|will|until)\b/i;

/**
 * The claims that a text makes about observed state, in its order, each once: "`total` was 9 at `stock.py:57`", "total = 9 at stock.py:57",
 * "`rate()` returned 0.5 at cart.py:7", "the branch at cart.py:5 was not taken"; with a pack a place may also be cited by index, "`total` was 9 [3]".
 *
 * Conservative: a sentence that names no place or two, or that hedges or denies ("not", "should", "expected", "if", "probably" …), makes no claim.
 */
export function readClaims(text: string, pack?: EvidencePack): Claim[] {
  const claims = sentencesOf(text).flatMap((sentence) => readSentence(sentence, pack));
  const seen = new Set<string>();
  return claims.filter((claim) => {
    const key = JSON.stringify(claim);
    return !seen.has(key) && seen.add(key);
  });
}

function sentencesOf(text: string): string[] {
  return text.split(/\n|(?<=[.!?])\s+|;\s+/).filter((sentence) => sentence.trim() !== '');
}

function readSentence(sentence: string, pack: EvidencePack | undefined): Claim[] {
  const prose = sentence.replace(/`[^`]*`|'[^']*'|"[^"]*"/g, ' ').replace(/\bnot taken\b/gi, '');
  if (unsure.test(prose)) return [];
  const about = placeOf(sentence, pack);
  if (about === undefined) return [];
  // Backticks around a whole "name = value" or around a value say nothing.
  const plain = sentence
    .replace(new RegExp(`\`(${name}\\s*={1,3}\\s*${literal})\``, 'g'), '$1')
    .replace(new RegExp(`\`(${literal})\``, 'g'), '$1')
    .replace(citation, '')
    .replace(place, '');
  return [
    ...[...plain.matchAll(variable)].map((match) => claimOf('variable', match, about)),
    ...[...plain.matchAll(returned)].map((match) => claimOf('return', match, about)),
    ...[...plain.matchAll(branch)].map((match) => claimOf('branch', match, about)),
  ];
}

type Place = Pick<Claim, 'location' | 'execution_id'>;

/** The one place a sentence is about; undefined: none, several, or a citation of no observation. */
function placeOf(sentence: string, pack: EvidencePack | undefined): Place | undefined {
  const named = [...sentence.matchAll(place)].map(
    ({ groups }): Place => ({ location: `${groups?.file}:${groups?.line}` }),
  );
  const cited =
    pack === undefined
      ? []
      : [...sentence.matchAll(citation)].map(({ groups }) => pack.evidence_pack[Number(groups?.index)]);
  if (cited.includes(undefined)) return undefined;
  const places = new Set([...named, ...cited].map((one) => one?.location));
  if (places.size !== 1) return undefined;
  const runs = new Set(cited.map((one) => one?.execution_id));
  const [location = ''] = places;
  const [execution_id] = runs;
  return { location, ...(runs.size === 1 && execution_id !== undefined ? { execution_id } : {}) };
}

function claimOf(kind: Claim['kind'], { groups }: RegExpExecArray, about: Place): Claim {
  const text = groups?.value ?? '';
  if (kind === 'branch')
    return { kind, ...about, name: 'branch', value: { type: 'branch', text: text.toLowerCase(), truncated: false } };
  const shown = typeOfText(text);
  // Prose writes 3 for 3.0.
  const type = shown === 'int' || shown === 'float' ? 'number' : shown;
  return { kind, ...about, name: groups?.quoted ?? groups?.bare ?? '', value: { type, text, truncated: false } };
}
