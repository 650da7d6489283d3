export type BoundedText =
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'refused'; readonly kind: 'budget' | 'transport' };

/** The body as UTF-8 text; refused beyond `maxBytes`, of which no more are held than arrive in one piece, and where it is not UTF-8. */
export async function readBoundedText(response: Response, maxBytes: number): Promise<BoundedText> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) return { status: 'refused', kind: 'budget' };
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maxBytes) return { status: 'refused', kind: 'budget' };
    pieces.push(piece);
  }
  try {
    return { status: 'read', text: new TextDecoder('utf-8', { fatal: true }).decode(joined(pieces, size)) };
  } catch {
    return { status: 'refused', kind: 'transport' };
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
