import { notJson } from './errors.ts';

/** The value of JSON text. Throws `not_json` with the parser's reason. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(`text that does not parse (${(error as Error).message})`, error);
  }
}
