import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { parseCertificate } from '@nodewright/pki';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { expectFailure, only } from './expect.ts';

type Request = Parameters<typeof machine.generateClientConfiguration.encode>[0];
const hour = 3600;
const ttl = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

async function generate({ admin }: Subject, request: Request) {
  const made = only(
    await admin.unary(machine.generateClientConfiguration, { crtTtl: ttl(hour), ...request }),
  );
  const [ca, certificate, key] = [made.ca, made.crt, made.key].map(text) as [string, string, string];
  return { ca, certificate, key, talosconfig: text(made.talosconfig) };
}

/** How much the clock of the node may differ. A certificate may begin earlier, for nodes whose clock is slow. */
const clockSeconds = 120;
const secondsLeft = ({ validToDate }: X509Certificate) => (validToDate.getTime() - Date.now()) / 1000;

export const clientConfigurationChecks = checksOf(machine.generateClientConfiguration, {
  'client.certificate': [
    'the certificate has the roles as organisations, is valid for clients only, and is valid from now for crt_ttl',
    async (subject) => {
      const roles = ['os:reader', 'os:etcd:backup', 'os:made-up'];
      const { certificate } = await generate(subject, { roles });
      const parsed = new X509Certificate(certificate);
      // DER sorts the elements of a set.
      assert.deepEqual(parseCertificate(certificate).subject.organizations.toSorted(), roles.toSorted());
      assert.deepEqual(parsed.keyUsage, ['1.3.6.1.5.5.7.3.2']);
      const earlySeconds = (Date.now() - parsed.validFromDate.getTime()) / 1000;
      assert.ok(earlySeconds > -clockSeconds && earlySeconds < hour, `valid from ${parsed.validFrom}`);
      assert.ok(
        Math.abs(secondsLeft(parsed) - hour) < clockSeconds,
        `valid for ${secondsLeft(parsed)} s more`,
      );
    },
  ],
  'client.works': [
    'the certificate gives its holder these roles and no others',
    async (subject) => {
      const identity = await generate(subject, { roles: ['os:reader'] });
      using reader = await subject.connect(identity);
      only(await reader.unary(machine.version, {}));
      const call = reader.unary(machine.generateClientConfiguration, {
        roles: ['os:admin'],
        crtTtl: ttl(hour),
      });
      await expectFailure(call, codes.permissionDenied, /^not authorized$/);
    },
  ],
  'client.talosconfig': [
    'the talosconfig has one context without endpoints, with the CA, certificate and key of the reply',
    async (subject) => {
      const { ca, certificate, key, talosconfig } = await generate(subject, {
        roles: ['os:reader', 'os:operator'],
      });
      const config = parseTalosconfig(talosconfig);
      assert.equal(config.contexts.size, 1);
      const context = config.contexts.get(config.context);
      assert.deepEqual(context?.endpoints, []);
      const pem = (base64 = '') => Buffer.from(base64, 'base64').toString();
      assert.deepEqual(
        [pem(context?.ca), pem(context?.crt), pem(context?.key?.reveal())],
        [ca, certificate, key],
      );
    },
  ],
  'client.context-name': [
    "the context has the cluster's name or, for a single role, the name <role without os:>@<cluster>",
    async (subject) => {
      const several = parseTalosconfig(
        (await generate(subject, { roles: ['os:reader', 'os:admin'] })).talosconfig,
      );
      const single = parseTalosconfig((await generate(subject, { roles: ['os:etcd:backup'] })).talosconfig);
      assert.ok(several.context !== '' && !several.context.includes('@'), several.context);
      assert.equal(single.context, `etcd:backup@${several.context}`);
    },
  ],
  'client.key': [
    'each call generates a new key, which belongs to the certificate',
    async (subject) => {
      const [first, second] = [
        await generate(subject, { roles: ['os:reader'] }),
        await generate(subject, { roles: ['os:reader'] }),
      ];
      assert.notEqual(first.key, second.key);
      const authority = new X509Certificate(first.ca);
      assert.ok(new X509Certificate(first.certificate).verify(authority.publicKey), 'the CA did not sign it');
    },
  ],
  'client.long-ttl': [
    'a crt_ttl of two years gives a certificate of two years',
    async (subject) => {
      const twoYears = 17_520 * hour;
      const { certificate } = await generate(subject, { roles: ['os:reader'], crtTtl: ttl(twoYears) });
      const seconds = secondsLeft(new X509Certificate(certificate));
      assert.ok(Math.abs(seconds - twoYears) < clockSeconds, `${seconds} s`);
    },
  ],
  'client.worker': [
    'a worker does not issue certificates: UNIMPLEMENTED',
    async ({ admin, worker }) => {
      if (worker === undefined) throw new Skip('no worker is known');
      const call = admin
        .with({ node: worker })
        .unary(machine.generateClientConfiguration, { roles: ['os:reader'], crtTtl: ttl(hour) });
      const text = /^generate client configuration is only available on control plane nodes$/;
      await expectFailure(call, codes.unimplemented, text);
    },
  ],
  'client.ttl': [
    'a missing, zero or negative crt_ttl fails with INVALID_ARGUMENT "crt_ttl should be positive"',
    async ({ admin }) => {
      for (const crtTtl of [undefined, ttl(0), ttl(-1)]) {
        const call = admin.unary(machine.generateClientConfiguration, { roles: ['os:reader'], crtTtl });
        await expectFailure(call, codes.invalidArgument, /^crt_ttl should be positive$/);
      }
    },
  ],
});
