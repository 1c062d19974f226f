import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mediaTypes } from '@nodewright/oci';
import { freePort } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';

/** nginx as a registry: the same files, served from a folder. */
export interface Nginx extends AsyncDisposable {
  readonly port: number;
  /** The paths that were requested with GET so far. */
  requests(): string[];
}

export interface ServedImage {
  readonly repository: string;
  readonly manifest: { readonly digest: string; readonly bytes: Buffer };
  /** By digest. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** Starts nginx in a folder of its own, on a loopback address. */
export async function startNginx(
  folder: string,
  { repository, manifest, blobs }: ServedImage,
): Promise<Nginx> {
  const port = await freePort();
  const put = (path: string, bytes: Buffer) => {
    const file = join(folder, 'www/v2', repository, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  };
  for (const which of ['v1', manifest.digest]) put(`manifests/${which}`, manifest.bytes);
  for (const [digest, bytes] of blobs) put(`blobs/${digest}`, bytes);
  const config = join(folder, 'nginx.conf');
  const log = join(folder, 'access.log');
  writeFileSync(
    config,
    `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 2;
    events {}
    http {
      access_log ${log}; sendfile on; tcp_nopush on; root ${folder}/www;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server {
        listen 127.0.0.1:${port};
        location = /v2/ { return 200; }
        location ~ /manifests/ { default_type ${mediaTypes.manifest}; }
        location / { default_type application/octet-stream; }
      }
    }\n`,
  );
  const child = spawn('nginx', ['-c', config, '-p', folder], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/v2/`)).ok, { what: 'answer of nginx' });
  return {
    port,
    requests: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .flatMap((line) => /"GET (\S+)/.exec(line)?.[1] ?? []),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
