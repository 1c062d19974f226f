// Loaded into machined before it starts (`node --import`): as soon as machined has put its API together, it says what is
// in it and ends, before anything listens or is started.

import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';

subscribe('nodewright:machined:api', (message) => {
  writeSync(1, `${JSON.stringify(message)}\n`);
  process.exit(0);
});
