/** The whole body of a request, or null when it is larger than allowed. */
export async function readBody(request: Request, mostBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) return null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
