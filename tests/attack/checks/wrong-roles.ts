// Makes calls that need a role with certificates that lack it, in every way that a caller could try.
import { setTimeout as sleep } from 'node:timers/promises';
import { metadataKeys, methodTable, ports, roles } from '@nodewright/contract';
import type { AttackTarget, CertificateKind } from '../target/attack-target.ts';
import type { OpenedTarget } from '../target/open-target.ts';
import { Caller, type CallOnce, isCarriedOut } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const calls = 5_000;
/**
 * Time between two calls with one certificate, in milliseconds: apid tolerates 50 refused calls per second.
 */
const spacingMs = 21;
/** Kinds of certificates that the server rejects in the handshake. */
const neverLetIn: ReadonlySet<string> = new Set(['foreign-admin', 'expired-admin']);

/** The roles that a certificate gives its holder here. Certificates that the handshake rejects give none. */
const kinds: Readonly<Partial<Record<CertificateKind, readonly string[]>>> = {
  'no-role': [],
  'unknown-role': [],
  reader: [roles.reader],
  operator: [roles.operator],
  'etcd-backup': [roles.etcdBackup],
  'meta-writer': [roles.metaWriter],
  impersonator: [roles.impersonator],
  'foreign-admin': [],
  'expired-admin': [],
};

type Way = (
  target: AttackTarget,
  path: string,
  own: readonly string[],
) => CallOnce & { readonly host?: string };

const claimAdmin = [metadataKeys.role, roles.admin] as const;
/**
 * A holder of the impersonator role may claim the roles of others; here it claims one that does not suffice.
 */
const claim = (own: readonly string[]) =>
  own.includes(roles.impersonator) ? ([metadataKeys.role, roles.imageVerifier] as const) : claimAdmin;

const ways: Readonly<Record<string, Way>> = {
  plain: (_target, path) => ({ path }),
  'claims a role': (_target, path, own) => ({ path, metadata: [claim(own)] }),
  'names the node itself': ({ entry }, path) => ({ path, metadata: [['node', entry.address]] }),
  'names another node': ({ behind }, path) => ({ path, metadata: [['node', behind.address]] }),
  'names another node and claims a role': ({ behind }, path, own) => ({
    path,
    metadata: [['node', behind.address], claim(own)],
  }),
  'names several nodes': ({ entry, behind }, path) => ({
    path,
    metadata: [
      ['nodes', entry.address],
      ['nodes', behind.address],
    ],
  }),
  'pretends to be proxied': (_target, path, own) => ({
    path,
    metadata: [['proxyfrom', 'node01'], claim(own)],
  }),
  'asks the worker directly': ({ behind }, path, own) => ({
    path,
    metadata: [claim(own)],
    host: behind.address,
  }),
  'joins roles with commas': (_target, path, own) => ({
    path,
    metadata: own.includes(roles.impersonator)
      ? [[metadataKeys.role, 'x']]
      : [[metadataKeys.role, `${roles.reader},${roles.admin}`]],
  }),
};

/**
 * The codes of a call that no node executed: the refusals, or 0 for a joint answer in which every node
 * refused.
 */
const refusals: ReadonlySet<number | undefined> = new Set([0, 7, 16, 3, 12, undefined]);

interface Attempt {
  readonly kind: CertificateKind;
  readonly way: string;
  readonly path: string;
}

export const wrongRoles: AttackCheck = {
  name: 'wrong-roles',
  what: `${calls.toLocaleString('en')} calls of wrong roles by ${Object.keys(kinds).length} kinds of certificate over ${Object.keys(ways).length} ways`,
  async run({ target }: OpenedTarget) {
    const attempts = planAttempts();
    const allowed: string[] = [];
    const codes = new Map<string, number>();
    const open = new Map<string, Promise<Caller | undefined>>();
    const notJudged: string[] = [];
    const lane = async (own: readonly Attempt[]) => {
      for (const attempt of own) {
        const answer = await make(target, attempt, open);
        const code = String(answer?.code ?? 'handshake');
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (answer === undefined && !neverLetIn.has(attempt.kind)) {
          notJudged.push(`${attempt.kind} was not let in, and ${attempt.path} not judged`);
        } else if (answer !== undefined && (answer.isCarriedOut || !refusals.has(answer.code))) {
          allowed.push(`${attempt.kind} ${attempt.way}: ${attempt.path} had code ${code}`);
        }
        await sleep(spacingMs);
      }
    };
    await Promise.all(Object.values(Object.groupBy(attempts, ({ kind }) => kind)).map(lane));
    for (const caller of open.values()) (await caller)?.[Symbol.dispose]();
    const byCode = [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
    return {
      summary: `${attempts.length} made, ${allowed.length} allowed (codes: ${byCode})`,
      problems: [...allowed, ...notJudged].slice(0, 20),
    };
  },
};

/** The combinations for which the certificate lacks the role, evenly sampled down to the requested number. */
function planAttempts(): Attempt[] {
  const all = Object.entries(kinds).flatMap(([kind, own]) =>
    Object.keys(ways).flatMap((way) =>
      Object.entries(methodTable)
        .filter(([, rule]) => rule.roles.length > 0 && !rule.roles.some((role) => own.includes(role)))
        .map(([path]): Attempt => ({ kind: kind as CertificateKind, way, path })),
    ),
  );
  const step = all.length / calls;
  return Array.from({ length: calls }, (_, index) => all[Math.floor(index * step) % all.length]).filter(
    (attempt) => attempt !== undefined,
  );
}

async function make(
  target: AttackTarget,
  { kind, way, path }: Attempt,
  open: Map<string, Promise<Caller | undefined>>,
): Promise<{ readonly code: number | undefined; readonly isCarriedOut: boolean } | undefined> {
  const { host = target.entry.address, ...call } = ways[way]?.(target, path, kinds[kind] ?? []) ?? { path };
  const key = `${kind} ${host}`;
  const caller = open.get(key) ?? openCaller(target, kind, host);
  open.set(key, caller);
  const opened = await caller;
  if (opened === undefined) return undefined;
  if (opened.session.closed || opened.session.destroyed) {
    open.delete(key);
    return make(target, { kind, way, path }, open);
  }
  const answer = await opened.call(call);
  return { code: answer.code, isCarriedOut: isCarriedOut(answer, call.metadata) };
}

/**
 * `undefined` when the certificate is rejected. With TLS 1.3 the client learns that only after its side of
 * the handshake.
 */
async function openCaller(target: AttackTarget, kind: CertificateKind, host: string) {
  const caller = await Caller.open({ host, port: ports.apid }, target.certificates[kind]).catch(
    () => undefined,
  );
  if (caller === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  caller.session.once('remoteSettings', () => resolve(true));
  caller.session.once('close', () => resolve(false));
  return (await promise) ? caller : undefined;
}
