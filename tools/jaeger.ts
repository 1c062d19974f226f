// `make jaeger`: builds Jaeger as a program, which receives the traces of nodes of processes.
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ensureJaegerProgram } from './images/ensure-jaeger.ts';

const note = (line: string) => void process.stderr.write(`jaeger: ${line}\n`);

try {
  const folder = join(import.meta.dirname, '..', '_out', 'tools', 'jaeger');
  const program = ensureJaegerProgram(process.env, note);
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `jaeger.${process.pid}`);
  copyFileSync(program, draft);
  renameSync(draft, join(folder, 'jaeger'));
  process.stdout.write(`jaeger: ${join(folder, 'jaeger')}\n`);
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
