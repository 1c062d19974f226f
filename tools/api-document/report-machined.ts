// Loaded into machined before it starts (`node --import`): prints the controllers and the methods of machined and ends
// the process, before anything listens or is started.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';

let controllers: unknown;
subscribe('nodewright:machined:controllers', (message) => {
  controllers = message;
});
subscribe('nodewright:machined:api', (methods) => {
  writeSync(1, `${JSON.stringify({ methods, controllers })}\n`);
  process.exit(0);
});
