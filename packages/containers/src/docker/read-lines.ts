/** The values of a stream of JSON lines from the engine. */
export async function* readJsonLines<T>(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of stream) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as T;
}
