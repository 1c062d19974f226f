// `make verify-image`: compares the image in _out/image with its signatures. It needs only the public key.
import { join } from 'node:path';
import { publicKeyIn, readPublicKey } from './signing/image-keys.ts';
import { imageProblems, signedFiles } from './signing/image-signatures.ts';
import { keysFolder, runBuild } from './workshop.ts';

await runBuild('verify-image', async () => {
  const checkout = join(import.meta.dirname, '..');
  const path = process.env.IMAGE_PUBLIC_KEY ?? publicKeyIn(keysFolder(checkout));
  const folder = join(checkout, '_out', 'image');
  const problems = imageProblems(folder, readPublicKey(path));
  const count = signedFiles(folder).length;
  for (const problem of problems) process.stderr.write(`verify-image: ${problem}\n`);
  if (problems.length > 0)
    throw new Error(`${problems.length} of ${count} files are not as they were signed`);
  process.stdout.write(`verify-image: all ${count} files are as they were signed with ${path}\n`);
});
