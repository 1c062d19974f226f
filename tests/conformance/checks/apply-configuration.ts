// Every call here is a dry run or fails, so the node under test keeps its configuration.
import assert from 'node:assert/strict';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { machineConfigs } from '@nodewright/state/kinds';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine, state } from '../wire/methods.ts';
import { expectFailure, only } from './expect.ts';

/** The configuration in force, as text. */
async function configurationOf({ admin }: Subject): Promise<string> {
  const { namespace, type } = machineConfigs;
  const { resource } = await admin.unary(state.get, { namespace, type, id: 'v1alpha1' });
  return machineConfigs.codec.fromProto(resource?.spec?.protoSpec ?? new Uint8Array());
}

async function dryRun(subject: Subject, text: string, mode: Mode, more = {}) {
  const request = { data: Buffer.from(text), mode, dryRun: true, ...more };
  return only(await subject.admin.unary(machine.applyConfiguration, request));
}

async function expectRefusal(
  { admin }: Subject,
  text: string,
  mode: Mode,
  code: number,
  words: RegExp,
): Promise<void> {
  const request = { data: Buffer.from(text), mode, dryRun: true };
  await expectFailure(admin.unary(machine.applyConfiguration, request), code, words);
}

const summary = (details: string) => `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n`;
const applied = 'Applied configuration without a reboot';
const staged = 'Staged configuration to be applied after the next reboot';
const tried = (time: string) =>
  `${applied}\nThe config is applied in 'try' mode and will be automatically reverted back in ${time}`;

export const applyConfigurationChecks = checksOf(machine.applyConfiguration, {
  'apply.same': [
    'the active configuration can be applied again: the reply has the resulting mode, never AUTO, and says that nothing changes',
    async (subject) => {
      const text = await configurationOf(subject);
      for (const mode of [Mode.AUTO, Mode.NO_REBOOT]) {
        const reply = await dryRun(subject, text, mode);
        assert.deepEqual([reply.mode, reply.modeDetails], [Mode.NO_REBOOT, `${summary(applied)}No changes.`]);
        // A node may warn about settings that it does not act on.
        assert.ok(reply.warnings.length <= 20 && new Set(reply.warnings).size === reply.warnings.length);
      }
    },
  ],
  'apply.modes': [
    'the replies to STAGED and TRY describe the mode; TRY also gives its duration, by default one minute',
    async (subject) => {
      const text = await configurationOf(subject);
      const details = async (mode: Mode, more = {}) => {
        const reply = await dryRun(subject, text, mode, more);
        assert.equal(reply.mode, mode);
        return reply.modeDetails;
      };
      const tryModeTimeout = { seconds: 90n, nanos: 0 };
      assert.deepEqual(
        [await details(Mode.STAGED), await details(Mode.TRY), await details(Mode.TRY, { tryModeTimeout })],
        [staged, tried('1m0s'), tried('1m30s')].map((text) => `${summary(text)}No changes.`),
      );
    },
  ],
  'apply.difference': [
    'a dry run returns the change as a unified diff and changes nothing',
    async (subject) => {
      const before = await configurationOf(subject);
      const more = `${before}\n---\napiVersion: v1alpha1\nkind: EnvironmentConfig\nvariables:\n    CONFORMANCE: "1"\n`;
      const { modeDetails } = await dryRun(subject, more, Mode.AUTO);
      assert.ok(modeDetails.startsWith(summary(applied)), modeDetails.slice(0, 200));
      assert.match(modeDetails, /^--- .*\n\+\+\+ .*\n@@ /m);
      assert.match(modeDetails, /^\+ +CONFORMANCE: "1"$/m);
      assert.equal(await configurationOf(subject), before);
    },
  ],
  'apply.broken': [
    'a text that is not a configuration, or has an unknown key, fails with INVALID_ARGUMENT',
    async (subject) => {
      for (const text of ['', 'machine: [', 'machine:\n    typ: worker\n']) {
        await expectRefusal(subject, text, Mode.AUTO, codes.invalidArgument, /./);
      }
    },
  ],
  'apply.partial': [
    'a node with a configuration rejects one without the v1alpha1 document with INVALID_ARGUMENT',
    async (subject) => {
      const text = 'apiVersion: v1alpha1\nkind: EnvironmentConfig\nvariables: {}\n';
      const words =
        /^the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead\?$/;
      await expectRefusal(subject, text, Mode.AUTO, codes.invalidArgument, words);
    },
  ],
  'apply.invalid': [
    'an invalid configuration fails with INVALID_ARGUMENT, and the message has the number of errors and the list of them',
    async (subject) => {
      const text = 'machine:\n    type: controlplane\ncluster: {}\n';
      const words = /^\d+ errors? occurred:\n\t\* v1alpha1\.Config: .*\n\n$/s;
      await expectRefusal(subject, text, Mode.AUTO, codes.invalidArgument, words);
    },
  ],
  'apply.reboot': [
    'mode REBOOT, which is the protobuf default, fails with UNIMPLEMENTED',
    async (subject) => {
      const text = await configurationOf(subject);
      const words = /^the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead$/;
      await expectRefusal(subject, text, Mode.REBOOT, codes.unimplemented, words);
    },
  ],
  'apply.unknown-mode': [
    'an unknown mode fails with INVALID_ARGUMENT, and the message names it',
    async (subject) => {
      const text = await configurationOf(subject);
      const words = /^incorrect mode '99' specified for the apply config call$/;
      await expectRefusal(subject, text, 99 as Mode, codes.invalidArgument, words);
    },
  ],
  'apply.reader': [
    'a reader cannot apply a configuration to a configured node: PERMISSION_DENIED',
    async (subject) => {
      const reader = await subject.as('os:reader');
      const call = reader.unary(machine.applyConfiguration, { mode: Mode.AUTO, dryRun: true });
      await expectFailure(call, codes.permissionDenied, /^not authorized$/);
    },
  ],
});
