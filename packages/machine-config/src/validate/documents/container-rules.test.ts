import { test } from 'node:test';
import { checkRows } from '../sample-validation.ts';

test('validation checks documents that configure registries, the container runtime and containers', () => {
  checkRows([
    [
      'RegistryMirrorConfig',
      'name: docker.io\nendpoints: [{ url: "" }, { url: ftp://x }]',
      '!endpoints[0].url is required',
      '!endpoints[1].url must be a URL with scheme http or https',
    ],
    ['RegistryAuthConfig', 'name: r\nusername: u\nauth: a', '!auth cannot be combined with username'],
    [
      'RegistryTLSConfig',
      'name: r\nclientIdentity: { cert: x }\nca: y',
      '!clientIdentity needs both cert and key',
      '!ca must be a certificate in PEM',
    ],
    ['CRICustomizationConfig', 'name: customization\ncontent: x', '!name is reserved'],
    ['CRICustomizationConfig', 'name: example.org/fast\ncontent: x'],
    ['CRICustomizationConfig', 'name: a/b/c\ncontent: x', '!name has more than one slash'],
    [
      'CRIBaseRuntimeSpecConfig',
      'overrides: { process: { rlimits: [] }, linux: [], foo: 1 }',
      '!overrides.linux must be an object in a runtime specification',
    ],
    [
      'CRIBaseRuntimeSpecConfig',
      'overrides: { process: { oomScoreAdj: x, noNewPrivileges: 1, args: [1], rlimits: [{ soft: -1, hard: 1.0 }] }, Hostname: 5, linux: { resources: { memory: { limit: 1.5 } }, sysctl: { a: 1 }, uidMappings: {} }, mounts: ~ }',
      '!overrides.process.oomScoreAdj must be a whole number in a runtime specification',
      '!overrides.process.noNewPrivileges must be a boolean in a runtime specification',
      '!overrides.process.args[0] must be a text in a runtime specification',
      '!overrides.process.rlimits[0].soft must be a whole number from 0 to 2^64 - 1 in a runtime specification',
      '!overrides.Hostname must be a text in a runtime specification',
      '!overrides.linux.resources.memory.limit must be a whole number in a runtime specification',
      '!overrides.linux.sysctl.a must be a text in a runtime specification',
      '!overrides.linux.uidMappings must be a list in a runtime specification',
    ],
    [
      'ContainerConfig',
      `name: c\nimage: alpine@sha256:${'0'.repeat(64)}\nresources: { limits: { cpu: 500m, memory: 1GiB } }`,
    ],
    [
      'ContainerConfig',
      `name: C
image: alpine:3
runAs: { uid: -1 }
environment: [A]
mounts:
  - {}
  - hostPath: { source: a, destination: /x, options: [ro, rw, bad] }
  - tmpfs: { destination: /x, size: big }
security: { profile: open, capabilities: { add: [ALL, cap, NET_RAW], drop: [NET_RAW] } }
network: { mode: bridge }
resources: { limits: { cpu: 0m, memory: x } }
dependsOn: { paths: [a], networks: [b], containers: [C] }`,
      '!name must be 1 to 63 of a-z, 0-9 and "-"',
      '!runAs.uid must be 0 to 2147483647',
      '!environment[0] must be NAME=value',
      '!mounts[0] must be exactly one of userVolume, tmpfs, hostPath',
      '!mounts[1].hostPath.source must be an absolute path',
      '!mounts[1].hostPath.options[2] must be one of ro, rw, noexec, nosuid, nodev, noatime, rbind, rshared',
      '!mounts[1].hostPath.options cannot be both ro and rw',
      '!mounts[2].tmpfs.size must be a size such as "64MiB"',
      '!mounts[2].tmpfs.destination is used by another mount',
      '!security.profile must be restricted or privileged',
      '!security.capabilities.add[0] cannot be ALL',
      '!security.capabilities.add[1] must be in upper case and without "CAP_"',
      '!security.capabilities.drop[0] is also added',
      '!network.mode must be none or host',
      '!resources.limits.cpu must be millicores above 0, such as "500m"',
      '!resources.limits.memory must be a size such as "64MiB"',
      '!dependsOn.paths[0] must be an absolute path',
      '!dependsOn.networks[0] must be one of addresses, connectivity, hostname, etcfiles',
      '!dependsOn.containers[0] cannot be the container itself',
      '?image is not pinned by a digest',
    ],
  ]);
});
