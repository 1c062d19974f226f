// Runs in the machine, as the program of an extension service: it runs a few programs for links on request, and nothing else. It imports
// nothing of this project, because it is alone there.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';

const port = 8099;
const programs = ['ip', 'bridge', 'ethtool', 'wg'];
const folder = '/opt/tools';
/** A word in whose place the program gets the name of a file with its input. */
const inputFile = '<input>';
let files = 0;
const limits = { requestBytes: 64 * 1024, outputBytes: 8 * 1024 * 1024, timeoutMs: 60_000 };

interface Wanted {
  readonly program: string;
  readonly words: readonly string[];
  /** What it reads. */
  readonly input: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > limits.requestBytes) throw new Error('the request is too long');
  }
  return text;
}

/** @throws Error for anything but words for one of the programs, and for those with which `ip` would run another program */
function wantedFrom(text: string): Wanted {
  const { program, words, input } = JSON.parse(text) as Wanted;
  if (!programs.includes(program) || typeof input !== 'string') throw new Error('no such program');
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) throw new Error('no words');
  if ([...words, ...input.split(/\s+/)].some((word) => /^(exec|netns|add-xdp|xdp)$/.test(word)))
    throw new Error('other programs are not run');
  return { program, words, input };
}

const server = createServer(async (request, response) => {
  const answer = (code: number, value: unknown) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  try {
    const { program, words, input } = wantedFrom(await bodyOf(request));
    const init = {
      ...{ timeout: limits.timeoutMs, maxBuffer: limits.outputBytes },
      env: { PATH: `${folder}/bin`, LD_LIBRARY_PATH: `${folder}/lib` },
    };
    files += 1;
    const file = `/dev/shm/input-${files}`;
    const wantsFile = words.includes(inputFile);
    if (wantsFile) writeFileSync(file, input);
    const own = words.map((word) => (word === inputFile ? file : word));
    const child = execFile(`${folder}/bin/${program}`, own, init, (error, stdout, stderr) => {
      if (wantsFile) rmSync(file);
      answer(200, { exitCode: error === null ? 0 : (error.code ?? 1), stdout, stderr });
    });
    // A program that ends early does not read it.
    child.stdin?.on('error', () => {}).end(input);
  } catch (error) {
    answer(400, { error: String(error) });
  }
});
server.maxConnections = 16;
server.listen(port, '0.0.0.0', () => process.stdout.write(`tools on port ${port}\n`));
process.on('SIGTERM', () => process.exit(0));
