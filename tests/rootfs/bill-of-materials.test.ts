// The list of parts: what it says of components, and that every file of every bundle leads to one of them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundles, inputsPath, readInputs } from '@nodewright/build/bundles';
import { lockFile, readPackageLock } from '@nodewright/build/debian';
import fc from 'fast-check';
import { type Component, spdxDocument, suppliers } from '../../rootfs/image/bill-of-materials.ts';
import { debianComponent } from '../../rootfs/image/debian-component.ts';
import {
  moduleFolderOf,
  npmComponents,
  readModuleLock,
  supplierOf,
} from '../../rootfs/image/npm-components.ts';
import { bundleComponents, own } from './bundle-components.ts';

const checkout = join(import.meta.dirname, '..', '..');
const lock = readModuleLock(checkout);
const identity = { version: 'v0', sha256: 'ab'.repeat(32), epochSeconds: 0 };

const skip = bundles.every(({ name }) => existsSync(join(checkout, inputsPath(name))))
  ? false
  : process.env.CI !== 'true' && 'the bundles are not built: run make build';

interface Listed {
  readonly packages: readonly Readonly<Record<string, unknown>>[];
  readonly relationships: readonly {
    readonly spdxElementId: string;
    readonly relationshipType: string;
    readonly relatedSpdxElement: string;
  }[];
}

const listed = (components: readonly Component[]): Listed => JSON.parse(spdxDocument(components, identity));

test('spdxDocument() lists every component with its digest, and is the same for the same image', () => {
  const components = [
    debianComponent('libc6', {
      ...{
        version: '2.41-12+deb13u4',
        archive: 'debian',
        path: 'pool/main/g/glibc/libc6_2.41-12+deb13u4_amd64.deb',
      },
      ...{ bytes: 1, sha256: 'ff' },
    }),
    own('apid'),
  ];
  const text = spdxDocument(components, identity);
  assert.equal(text, spdxDocument(components, identity));
  const document = JSON.parse(text);
  assert.equal(document.creationInfo.created, '1970-01-01T00:00:00Z');
  assert.deepEqual(
    document.packages
      .slice(1)
      .map(({ name, supplier, downloadLocation, checksums, externalRefs }: Record<string, unknown>) => [
        ...[name, supplier, downloadLocation, checksums],
        (externalRefs as { referenceLocator: string }[] | undefined)?.[0]?.referenceLocator,
      ]),
    [
      [
        ...['libc6', 'Organization: Debian'],
        'https://deb.debian.org/debian/pool/main/g/glibc/libc6_2.41-12+deb13u4_amd64.deb',
        [{ algorithm: 'SHA256', checksumValue: 'ff' }],
        'pkg:deb/debian/libc6@2.41-12%2Bdeb13u4?arch=amd64&distro=trixie',
      ],
      ['apid', 'Organization: nodewright', 'NOASSERTION', undefined, undefined],
    ],
  );
});

test('spdxDocument() lists a module once for each version, and every component that contains it', () => {
  const module = (version: string, partOf: string): Component => ({
    ...{ name: 'a/b', version, partOf, supplier: 'Organization: a' },
    purl: `pkg:golang/a/b@${version}`,
  });
  const { packages, relationships } = listed([
    ...[own('runc'), module('v1', 'runc'), module('v2', 'runc')],
    ...[own('nft'), module('v1', 'nft'), module('v1', 'nft')],
  ]);
  assert.deepEqual(
    packages.map(({ SPDXID }) => SPDXID),
    ['image', 'package-runc', 'package-a-b-v1', 'package-a-b-v2', 'package-nft'].map(
      (name) => `SPDXRef-${name}`,
    ),
  );
  assert.deepEqual(
    relationships.map(({ spdxElementId, relationshipType, relatedSpdxElement }) =>
      [spdxElementId, relationshipType, relatedSpdxElement].join(' ').replaceAll('SPDXRef-', ''),
    ),
    [
      'DOCUMENT DESCRIBES image',
      'image CONTAINS package-runc',
      'package-runc CONTAINS package-a-b-v1',
      'package-runc CONTAINS package-a-b-v2',
      'image CONTAINS package-nft',
      'package-nft CONTAINS package-a-b-v1',
    ],
  );
  assert.throws(
    () => listed([module('v1', 'containerd')]),
    /no component of the image has the name containerd/,
  );
});

test('every locked package of Debian has a supplier, a digest and a URL that names it', () => {
  const { packages } = readPackageLock(join(checkout, lockFile));
  for (const [architecture, locked] of Object.entries(packages))
    for (const [id, one] of Object.entries(locked)) {
      const { purl = '', supplier, sha256, url } = debianComponent(id, one);
      const [, name = '', version = '', of = ''] =
        /^pkg:deb\/debian\/([^@]+)@([^?]+)\?arch=([^&]+)&/.exec(purl) ?? [];
      assert.equal(decodeURIComponent(version), one.version, purl);
      assert.ok(one.path.includes(`/${decodeURIComponent(name)}_`), purl);
      assert.ok([architecture, 'all'].includes(of), purl);
      assert.deepEqual([supplier, sha256, url?.endsWith(one.path)], [suppliers.debian, one.sha256, true]);
    }
});

test('moduleFolderOf() finds the innermost package of a file, wherever node_modules is', () => {
  const folders = Object.keys(lock).filter((path) => path.startsWith('node_modules/'));
  const word = fc.stringMatching(/^[a-z][a-z0-9.-]{0,10}$/).filter((text) => text !== 'node_modules');
  fc.assert(
    fc.property(
      fc.constantFrom(...folders),
      fc.array(word, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '../', '../../elsewhere/'),
      (folder, words, before) => {
        assert.equal(moduleFolderOf(`${before}${folder}/${words.join('/')}`, lock), folder);
      },
    ),
  );
  assert.equal(moduleFolderOf('packages/pki/src/der.ts', lock), undefined);
  for (const unknown of ['node_modules/unlocked/index.js', 'node_modules/koffi/node_modules/x/y.js', 'x.js'])
    assert.throws(() => moduleFolderOf(unknown, lock), /belongs to no package of package-lock\.json/);
});

test('supplierOf() takes the author, then the owner of the repository, then the name', () => {
  assert.deepEqual(
    [
      supplierOf('a', { author: 'Ada <ada@example.com> (https://example.com)' }),
      supplierOf('a', { author: { name: 'Ada' } }),
      supplierOf('a', { author: '', repository: 'https://github.com/owner/a.git' }),
      supplierOf('a', { repository: { url: 'git+ssh://git@github.com/owner/a.git' } }),
      supplierOf('a', { repository: 'owner/a' }),
      supplierOf('@scope/a', {}),
    ],
    [
      ...['Person: Ada', 'Person: Ada', 'Organization: owner', 'Organization: owner', 'Organization: owner'],
      'Organization: scope',
    ],
  );
});

test('each file of each bundle leads to a package in the list', { skip }, () => {
  const { packages, relationships } = listed(bundleComponents(checkout));
  const idOf = new Map(packages.map(({ name, versionInfo, SPDXID }) => [`${name} ${versionInfo}`, SPDXID]));
  const pairs = new Set(
    relationships.map(({ spdxElementId, relatedSpdxElement }) => `${spdxElementId} ${relatedSpdxElement}`),
  );
  let modules = 0;
  for (const { name } of bundles) {
    const files = readInputs(checkout, name);
    assert.ok(files.length > 0, name);
    for (const file of files) {
      const folder = moduleFolderOf(file, lock);
      if (folder === undefined) continue;
      const module = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const id = idOf.get(`${module} ${lock[folder]?.version}`);
      assert.ok(pairs.has(`${idOf.get(`${name} v0`)} ${id}`), `${file} of ${name}`);
      modules += 1;
    }
  }
  assert.ok(modules > 300, `${modules} files of packages`);
});

test('the packages of machined have a licence, a supplier, a digest and a URL', { skip }, () => {
  const found = npmComponents(checkout, { bundle: 'machined', files: readInputs(checkout, 'machined') });
  const names = found.map(({ name }) => name);
  for (const name of ['node-forge', '@grpc/grpc-js', 'koffi', `@koromix/koffi-linux-${process.arch}`])
    assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
  for (const { name, version, licence, sha512, purl, supplier } of found) {
    assert.match(licence ?? '', /^[\w.() -]+$/, name);
    assert.match(sha512 ?? '', /^[0-9a-f]{128}$/, name);
    assert.match(supplier, /^(?:Person|Organization): \S/, name);
    assert.equal(decodeURIComponent(purl ?? ''), `pkg:npm/${name}@${version}`);
  }
});
