import assert from 'node:assert/strict';
import { grpcCodeName } from '@nodewright/fault';
import { type Check, Skip } from '../check.ts';
import { harmlessMethods } from '../facts/harmless-methods.ts';
import { type MethodFact, readMethodFacts } from '../facts/method-facts.ts';
import type { Subject } from '../subject/subject.ts';
import type { Api } from '../wire/api.ts';
import { CallFailure, type CallStatus, codes } from '../wire/call-failure.ts';

const knownRoles = [
  'os:admin',
  'os:operator',
  'os:reader',
  'os:etcd:backup',
  'os:image:verifier',
  'os:meta:writer',
  'os:impersonator',
];
const patienceMs = 3000;

/**
 * The first result of a call with an empty request: its status, or OK when a message came first. Then the
 * call is cancelled.
 */
async function firstWord(api: Api, path: string): Promise<CallStatus> {
  const call = api.open(path, { deadlineMs: patienceMs });
  call.send(new Uint8Array());
  call.end();
  for await (const _ of call.messages()) {
    call.cancel();
    return { code: codes.ok, message: '' };
  }
  return call.status();
}

/** A caller without a role for the method gets PERMISSION_DENIED. Never uses a role that would be allowed. */
function refusal({ path, roles, maintenance }: MethodFact): Check {
  const allowed = new Set(maintenance ? roles.filter((role) => role === 'os:admin') : roles);
  return {
    id: `roles.refused${path}`,
    method: path,
    says: 'a certificate without a permitted role gets PERMISSION_DENIED "not authorized"',
    async run(subject: Subject) {
      const refused = knownRoles.filter((role) => !allowed.has(role));
      for (const role of [...refused, 'os:unheard-of']) {
        const { code, message } = await firstWord(await subject.as(role), path);
        assert.ok(
          code === codes.permissionDenied,
          `${role} got ${grpcCodeName(code)} "${message}", PermissionDenied was expected`,
        );
        assert.equal(message, 'not authorized', role);
      }
    },
  };
}

/** Each of the allowed roles alone is sufficient. */
function admission({ path, roles, maintenance }: MethodFact): Check {
  return {
    id: `roles.admitted${path}`,
    method: path,
    says: 'each permitted role alone is sufficient',
    async run(subject: Subject) {
      for (const role of maintenance ? ['os:admin'] : roles) {
        const status = await firstWord(await subject.as(role), path);
        if (status.code === codes.unimplemented) throw new CallFailure(status);
        // PERMISSION_DENIED with another message is about the requested resource type, which does not exist.
        const isRefused = status.code === codes.permissionDenied && status.message === 'not authorized';
        assert.ok(!isRefused, `${role} was refused`);
        assert.notEqual(
          status.code,
          codes.internal,
          `an empty request ended with Internal "${status.message}"`,
        );
      }
    },
    timeoutMs: 30_000,
  };
}

const facts = readMethodFacts();

export const authorizationChecks: Check[] = [
  ...facts.map(refusal),
  ...facts.filter(({ path }) => harmlessMethods.has(path)).map(admission),
  {
    id: 'roles.none',
    method: 'roles',
    says: 'a certificate without a role permits no call, and metadata cannot add a role',
    async run(subject) {
      const nobody = await subject.as();
      for (const claim of [[], ['os:admin'], ['os:admin', 'os:reader']]) {
        const api = nobody.with({ ...nobody.metadata, ...(claim.length > 0 && { 'talos-role': claim }) });
        const { code } = await firstWord(api, '/machine.MachineService/Version');
        assert.equal(grpcCodeName(code), 'PermissionDenied', claim.join());
      }
    },
  },
  {
    id: 'roles.claimed',
    method: 'roles',
    says: 'the metadata talos-role adds no role to those of a certificate',
    async run(subject) {
      const reader = await subject.as('os:reader');
      const api = reader.with({ ...reader.metadata, 'talos-role': 'os:admin' });
      const { code } = await firstWord(api, '/machine.MachineService/Read');
      assert.equal(grpcCodeName(code), 'PermissionDenied');
    },
  },
  {
    id: 'roles.several',
    method: 'roles',
    says: 'each of several roles in a certificate counts, and an unknown role is ignored',
    async run(subject) {
      const api = await subject.as('os:etcd:backup', 'os:reader', 'os:unheard-of');
      const { code } = await firstWord(api, '/machine.MachineService/Version');
      assert.equal(grpcCodeName(code), 'OK');
    },
  },
  {
    id: 'roles.impersonator',
    method: 'roles',
    says: 'an impersonator has the roles in talos-role, which nodes use to forward calls',
    async run(subject) {
      const impersonator = await subject.as('os:impersonator');
      const api = impersonator.with({ ...impersonator.metadata, 'talos-role': 'os:reader' });
      const { code } = await firstWord(api, '/machine.MachineService/Version');
      assert.equal(grpcCodeName(code), 'OK');
      const { code: refused } = await firstWord(api, '/machine.MachineService/Read');
      if (refused === codes.unimplemented) throw new Skip('Read is not implemented');
      assert.equal(grpcCodeName(refused), 'PermissionDenied');
    },
  },
];
