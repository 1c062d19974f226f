/** A Go module that is linked into a program. */
export interface LinkedModule {
  readonly path: string;
  readonly version: string;
}

const magic = Buffer.from('\xff Go buildinf:', 'latin1');
const alignment = 16;
const headerBytes = 32;
/** Flag in the header: both texts follow it, each after its length. Go has written it since 1.18. */
const textsFollow = 2;
/** The text about modules stands between two marks of this length. */
const markBytes = 16;

/**
 * The modules that were linked into a Go program, as the program itself says, without the one that was built. Source:
 * Go, debug/buildinfo.
 *
 * @throws Error when the program does not say so
 */
export function linkedModules(program: Buffer): LinkedModule[] {
  const text = moduleText(program);
  return [...text.matchAll(/^dep\t(\S+)\t(\S+)/gm)].map(([, path = '', version = '']) => ({ path, version }));
}

function moduleText(program: Buffer): string {
  for (let at = program.indexOf(magic); at >= 0; at = program.indexOf(magic, at + 1)) {
    if (at % alignment !== 0 || ((program[at + magic.length + 1] ?? 0) & textsFollow) === 0) continue;
    const version = textAt(program, at + headerBytes);
    return textAt(program, version.end).text.slice(markBytes, -markBytes);
  }
  throw new Error('not a Go program, or one that does not name its modules');
}

/** A text after its length, seven bits in each byte, the lowest first. */
function textAt(bytes: Buffer, at: number): { readonly text: string; readonly end: number } {
  let length = 0;
  let begin = at;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(begin);
    begin += 1;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (begin + length > bytes.length) throw new Error('the text about modules is truncated');
  return { text: bytes.toString('latin1', begin, begin + length), end: begin + length };
}
