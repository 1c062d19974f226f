import { execFile } from 'node:child_process';
import { chmod, link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setAttribute } from './set-attribute.ts';

const contents: Readonly<Record<string, string>> = {
  hosts: '127.0.0.1 localhost\n',
  passwd: 'root:x:0:0:root:/root:/sbin/nologin\n',
  'ssl/certs/ca-certificates.crt': 'not a certificate\n'.repeat(400),
  'ssl/openssl.cnf': '[req]\n',
  'empty/nothing': '',
  'names/with a space': '1',
  'names/größe': '2',
  'names/line\nbreak': '3',
  [`names/${'long'.repeat(45)}/${'name'.repeat(45)}`]: '4',
  'a-b': 'sorts before a/',
  'a/b': 'sorts after a-b',
};

/**
 * Gives a new node, whose root is a folder, an /etc with files that are difficult to copy and list. On other
 * nodes the checks use existing files.
 */
export async function seedFiles(root: string): Promise<void> {
  const etc = join(root, 'etc');
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(etc, name)), { recursive: true });
    await writeFile(join(etc, name), content);
  }
  await symlink('../hosts', join(etc, 'ssl', 'link'));
  await symlink('/no/such/place', join(etc, 'ssl', 'dangling'));
  await symlink('../../../../../../../../etc/passwd', join(etc, 'ssl', 'climbing'));
  await symlink('loop', join(etc, 'loop'));
  await link(join(etc, 'hosts'), join(etc, 'ssl', 'hard-link'));
  await writeFile(join(etc, 'sparse'), '');
  await truncate(join(etc, 'sparse'), 3 * 1024 * 1024);
  await chmod(join(etc, 'empty'), 0o1777);
  await chmod(join(etc, 'passwd'), 0o4640);
  setAttribute(join(etc, 'hosts'), 'user.conformance', 'yes');
  await promisify(execFile)('mkfifo', [join(etc, 'pipe')]);
}
