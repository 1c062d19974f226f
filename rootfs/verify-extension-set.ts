// `make verify-extension-set SET=`: verifies a set as a node does. It needs only the certificate.
import { X509Certificate } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { verifyExtensionSet } from '@nodewright/extensions/sets';
import { runBuild } from './workshop.ts';

await runBuild('verify-extension-set', async () => {
  const image = join(import.meta.dirname, '..', '_out', 'image');
  const path = process.env.SET ?? '';
  if (!existsSync(path)) throw new Error('SET= names the file of a set, such as one in _out/extension-sets');
  const certificate = join(image, 'secure-boot.crt');
  if (!existsSync(certificate)) throw new Error('there is no image: run make image');
  const archive = createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  const { description } = await verifyExtensionSet(archive, {
    certificates: [new X509Certificate(readFileSync(certificate))],
    imageRootHash: rootHashIn(readFileSync(join(image, 'cmdline.txt'), 'utf8')),
  });
  for (const { metadata } of description.layers)
    process.stdout.write(`${metadata.name} ${metadata.version}\n`);
  process.stdout.write(
    `verify-extension-set: set ${description.rootHash} is as it was signed with ${certificate}\n`,
  );
});
