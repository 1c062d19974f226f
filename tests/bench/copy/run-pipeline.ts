import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a shell command and returns its duration in seconds. Throws with its output when it fails. */
export async function runPipeline(
  line: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const start = performance.now();
  const child = spawn('bash', ['-o', 'pipefail', '-c', line, 'bash', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`"${line}" ended with ${code}: ${(output + errors).trim().slice(0, 2000)}`);
  return (performance.now() - start) / 1000;
}
