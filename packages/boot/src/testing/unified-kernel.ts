/** A file with the headers of a program for UEFI, and these sections. */
export function testUnifiedKernel(sections: Readonly<Record<string, Buffer>>): Buffer {
  const signature = 0x80;
  const optionalBytes = 16;
  const names = Object.entries(sections);
  const head = Buffer.alloc(1024);
  head.write('MZ', 0, 'latin1');
  head.writeUInt32LE(signature, 0x3c);
  head.write('PE\0\0', signature, 'latin1');
  head.writeUInt16LE(names.length, signature + 6);
  head.writeUInt16LE(optionalBytes, signature + 20);
  const pieces: Uint8Array[] = [head];
  let offset = head.length;
  for (const [index, [name, content]] of names.entries()) {
    const stored = Math.ceil(content.length / 512) * 512;
    const at = signature + 24 + optionalBytes + index * 40;
    head.write(name, at, 8, 'latin1');
    head.writeUInt32LE(content.length, at + 8);
    head.writeUInt32LE(stored, at + 16);
    head.writeUInt32LE(offset, at + 20);
    pieces.push(content, Buffer.alloc(stored - content.length));
    offset += stored;
  }
  return Buffer.concat(pieces);
}
