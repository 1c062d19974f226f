// Starts a Docker engine on a machine where none runs. `node tools/engine.ts start|stop|status|install
// [--folder <path>] [--registry-mirror <url>] [--without-network]`. An engine that already answers is left
// unchanged. The started engine runs as root, keeps its images below the folder for the next start, and is
// stopped by its pid file. It listens on the socket that DOCKER_HOST names: with another socket and folder, a
// second engine can run next to the machine's own.
import { parseArgs } from 'node:util';
import { askEngine } from '@nodewright/provision/engine';
import { engineFolder } from './engine/engine-folder.ts';
import { installEngine } from './engine/install-engine.ts';
import { startEngine } from './engine/start-engine.ts';
import { stopEngine } from './engine/stop-engine.ts';

const verbs = ['start', 'stop', 'status', 'install'] as const;

const { values, positionals } = parseArgs({
  options: {
    folder: { type: 'string', default: '/var/cache/nodewright/engine' },
    'registry-mirror': { type: 'string' },
    'without-network': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const verb = verbs.find((name) => name === positionals[0]);
if (verb === undefined) fail(`engine: say one of ${verbs.join(', ')}`, 2);
const folder = engineFolder(values.folder);

try {
  process.stdout.write(`engine: ${await act()}\n`);
} catch (error) {
  fail(`engine: ${error instanceof Error ? error.message : String(error)}`, 1);
}

async function act(): Promise<string> {
  if (verb === 'install') return installEngine();
  if (verb === 'start') {
    return startEngine(folder, {
      environment: process.env,
      registryMirror: values['registry-mirror'],
      withoutNetwork: values['without-network'],
    });
  }
  if (verb === 'stop') return stopEngine(folder);
  const answer = await askEngine();
  if (answer.state !== 'ready') throw new Error(answer.advice);
  return `Docker ${answer.engine} with Compose ${answer.compose}`;
}

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
