import { Skip } from '../check.ts';
import type { Api } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';

/** Reads a file of the node with Read, which has checks of its own. Other checks compare with the result. */
export async function readFile(api: Api, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const { bytes } of api.stream(machine.read, { path })) chunks.push(bytes);
  } catch (error) {
    if (error instanceof CallFailure && error.code === codes.unimplemented)
      throw new Skip('the truth is in a file, and Read is not implemented');
    if (error instanceof CallFailure && error.code === codes.notFound)
      throw new Skip(`the node has no ${path}`);
    throw error;
  }
  return Buffer.concat(chunks);
}
