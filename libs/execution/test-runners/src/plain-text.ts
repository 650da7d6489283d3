// Texts of targets as a report holds them.
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Well-formed UTF-16, without what differs from run to run: memory addresses. */
export function plainText(text: string): string {
  return text.replace(LONE_SURROGATE, '\u{FFFD}').replace(/\bat 0x[0-9a-fA-F]{6,16}\b/g, 'at 0x…');
}
