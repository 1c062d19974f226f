// Upstream's released client against our nodes: one cluster, one test per check.
import { after, before, test } from 'node:test';
import { chosenProvisioner, openSubject, type Subject } from './subject.ts';
import { suite } from './suite.ts';

const provisioner = chosenProvisioner();
const scope = new AsyncDisposableStack();
let subject: Subject;
before(async () => {
  subject = scope.use(await openSubject(provisioner, { controlPlanes: 2 }));
});
after(() => scope.disposeAsync());

for (const { command, says, only, run } of suite) {
  if (only === undefined || only.includes(provisioner))
    test(`${provisioner}: ${command} ${says}`, () => run(subject));
}
