// The network of a machine from its command line: the controllers with the real kernel, in a namespace of the test.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { pointerTo, putResource, type SingletonRef } from '@nodewright/state';
import {
  hostnameStatuses,
  kernelParamSpecs,
  machineConfigs,
  resolverStatuses,
  timeServerStatuses,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { worlds } from '../../base/domain/world.ts';
import { readIfThere } from '../../base/host/read-if-there.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { openAdvertisementPort } from '../host/advertisement-port.ts';
import { EndpointNames } from '../host/endpoint-names.ts';
import { openKernelNetwork } from '../host/kernel-network.ts';
import { type SetParameter, setLinkParameters } from '../host/link-parameters.ts';
import { openNetworkPort } from '../host/network-port.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { noLinkHardware } from './testing/fake-network.ts';

const acceptOf = (link: string) =>
  readIfThere(`/proc/sys/net/ipv6/conf/${link}/accept_ra`)?.toString().trim();
const skip = noOwnNamespace || (acceptOf('default') === undefined ? 'this kernel has no IPv6' : false);
const isUp = (link: string) => /[<,]UP[,>]/.test(ip(`link show dev ${link}`));
const has = (words: string, pattern: RegExp) =>
  eventually(() => pattern.test(ip(words)), { what: String(pattern), explain: () => ip(words) });

/** A namespace with two pairs of links that are down, and a machine in it. */
async function openMachine(commandLine: string, setParameter: SetParameter = writeFileSync) {
  enterOwnNamespace();
  ip('link set lo down');
  ip('link add wire0 type veth peer name wire1');
  ip('link add wire2 type veth peer name wire3');
  const problems = new NetworkProblems();
  const kernel = await openKernelNetwork();
  const { obstacles } = setLinkParameters(
    kernel.links().map(({ name }) => name),
    setParameter,
  );
  const operator = new CommandLineOperator(commandLine);
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: operator.addresses(), hostname: '', instanceType: '' },
      ...{ network: async () => kernel, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [operator], problems },
      planned: {
        ...{ port: await openNetworkPort(worlds.machine.networkSteps), obstacles },
        endpointNames: new EndpointNames(systemTimers),
        advertisements: { port: await openAdvertisementPort(setParameter), onAccepting: () => {} },
        selectors: createWorkerSelectors(),
      },
    }),
  });
  await node.settled();
  return { node, problems };
}

const line =
  'console=tty0 ip=10.9.8.7::10.9.8.1:24:node01.lab:wire0:off:10.9.8.53:[fd09::53]:10.9.8.123 ' +
  'ip=192.0.2.7::198.51.100.1:::wire2 ip=[fd09::7]::[fd09::1]:64::wire0 panic=0\n';

test('ip= gives addresses, routes, a host name, name servers and a time server, and restores what somebody removes', {
  skip,
}, async () => {
  const { node, problems } = await openMachine(line);
  await using _node = node;
  for (const link of ['wire1', 'wire3']) ip(`link set ${link} up`);
  await has('-4 addr show dev wire0', /inet 10\.9\.8\.7\/24/);
  await has('-6 addr show dev wire0', /inet6 fd09::7\/64/);
  await has('route show', /^default via 10\.9\.8\.1 dev wire0 metric 1024 $/m);
  await has('route show', /^default via 198\.51\.100\.1 dev wire2 metric 1025 $/m);
  await has('route show', /^198\.51\.100\.1 dev wire2 scope link src 192\.0\.2\.7 metric 1025 $/m);
  await has('-6 route show', /^default via fd09::1 dev wire0 metric 1026 /m);
  assert.ok(isUp('lo'));
  const spec = async <S>(of: SingletonRef<S>) => (await node.state.get(pointerTo(of))).spec;
  assert.deepEqual(await spec(hostnameStatuses), { hostname: 'node01', domainname: 'lab' });
  assert.deepEqual((await spec(resolverStatuses)).dnsServers, ['10.9.8.53', 'fd09::53']);
  assert.deepEqual((await spec(timeServerStatuses)).timeServers, ['10.9.8.123']);
  assert.equal(problems.ofAddresses(), undefined);

  ip('addr add 10.7.7.7/24 dev wire0');
  ip('addr del 10.9.8.7/24 dev wire0');
  await node.advance(1000);
  await has('-4 addr show dev wire0', /inet 10\.9\.8\.7\/24/);
  ip('link set wire0 down');
  await has('route show', /^default via 10\.9\.8\.1 dev wire0/m);
  await has('-6 addr show dev wire0', /inet6 fd09::7\/64/);
  assert.match(ip('-4 addr show dev wire0'), /inet 10\.7\.7\.7\/24/);
});

test('a link that appears later gets its address, and links that are not named stay down', {
  skip,
}, async () => {
  const { node, problems } = await openMachine('ip=10.9.8.7:::24::later0:off');
  await using _node = node;
  assert.match(
    problems.ofAddresses() ?? '',
    /no network device later0 for ip=; devices of the hardware: none/,
  );
  ip('link add later0 type veth peer name later1');
  await has('-4 addr show dev later0', /inet 10\.9\.8\.7\/24/);
  await node.settled();
  assert.equal(problems.ofAddresses(), undefined);
  // The links of this test are virtual ones, which come up only by name.
  assert.deepEqual(['later0', 'wire0', 'wire2'].map(isUp), [true, false, false]);
});

test("the links of ip= take routers' advertisements, and no others: not another one, and not one that appears later", {
  skip,
}, async () => {
  const { node } = await openMachine(line);
  await using _node = node;
  ip('link add later0 type veth peer name later1');
  const all = ['default', 'wire0', 'wire1', 'wire2', 'later0', 'later1'];
  const expected = ['0', '2', '0', '2', '0', '0'];
  await eventually(() => all.map(acceptOf).join() === expected.join(), {
    ...{ what: 'the links of ip=', explain: () => all.map(acceptOf).join() },
  });
});

test("a link takes routers' advertisements again after somebody has refused them, unless the configuration decides", {
  skip,
}, async () => {
  const { node } = await openMachine(line);
  await using _node = node;
  const accepts = (links: readonly string[], values: string) =>
    eventually(() => links.map(acceptOf).join() === values, { what: `${links} with ${values}` });
  await accepts(['wire0', 'wire2'], '2,2');
  const id = 'proc.sys.net.ipv6.conf.wire0.accept_ra';
  await putResource(node.state, {
    ...pointerTo(kernelParamSpecs, id),
    spec: { value: '0', ignoreErrors: false },
  });
  for (const link of ['wire0', 'wire2']) writeFileSync(`/proc/sys/net/ipv6/conf/${link}/accept_ra`, '0');
  ip('link set wire1 up');
  await accepts(['wire0', 'wire2'], '0,2');
});

test("a link stays down when its routers' advertisements cannot be refused, and comes up on a kernel without IPv6", {
  skip,
}, async () => {
  const fails = (code: string) => (path: string) => {
    if (path.includes('/wire0/')) throw Object.assign(new Error(code), { code });
  };
  {
    const { node, problems } = await openMachine(line, fails('EACCES'));
    await using _node = node;
    assert.match(problems.ofAddresses() ?? '', /link wire0 stays down, its advertisements .*: EACCES/);
    assert.deepEqual(['wire0', 'wire2'].map(isUp), [false, true]);
  }
  const { node } = await openMachine(line, fails('ENOENT'));
  await using _node = node;
  await has('-4 addr show dev wire0', /inet 10\.9\.8\.7\/24/);
  assert.ok(isUp('wire0'));
});

test('a machine keeps the address of ip= when the kernel refuses its gateway', { skip }, async () => {
  const { node, problems } = await openMachine('ip=[fd09::7]::[fd08::1]:64::wire0');
  await using _node = node;
  await has('-6 addr show dev wire0', /inet6 fd09::7\/64/);
  await node.advance(2000);
  await eventually(
    () => node.logged.some(({ error }) => /^add-route default via fd08::1 /.test(String(error))),
    {
      what: 'a line of the log about the gateway',
      explain: () => JSON.stringify(node.logged),
    },
  );
  assert.equal(problems.ofAddresses(), undefined);
});

test('a link that is renamed keeps its address and its routes', {
  skip,
}, async () => {
  const { node, problems } = await openMachine('ip=10.9.8.7::10.9.8.1:24::wire0:off');
  await using _node = node;
  ip('link set wire1 up');
  await has('route show', /^default via 10\.9\.8\.1 dev wire0 metric 1024 $/m);
  ip('link set wire0 name net0');
  await eventually(() => /no network device wire0/.test(problems.ofAddresses() ?? ''), {
    ...{ what: 'a problem of the name', timeoutMs: 10_000 },
  });
  await node.advance(5000);
  assert.match(ip('-4 addr show dev net0'), /inet 10\.9\.8\.7\/24/);
  assert.match(ip('route show'), /^default via 10\.9\.8\.1 dev net0 metric 1024 $/m);
});

test('links, addresses, routes and rules of the configuration are applied, restored, and undone with it', {
  skip,
}, async () => {
  const { node, problems } = await openMachine('ip=10.9.8.7:::24::wire0:off');
  await using _node = node;
  // What belongs to containers.
  ip('link add cni0 type bridge');
  ip('link set cni0 mtu 1450 up');
  ip('link add flannel.1 mtu 1450 type vxlan id 1 local 127.0.0.1 dstport 8472 nolearning');
  ip('link set flannel.1 up');
  ip('link add pod0 type veth peer name pod1');
  ip('link set pod0 master cni0 up');
  ip('addr add 10.78.0.1/24 dev cni0');
  ip('route add 10.77.0.0/16 dev cni0');
  ip('route add 10.79.0.0/16 via 10.78.0.9 dev cni0 proto static table 66');
  ip('rule add priority 5000 table 77 protocol static');
  const config = pointerTo(machineConfigs, 'v1alpha1');
  const header = 'version: v1alpha1\nmachine: { type: worker }\n';
  await putResource(node.state, {
    ...config,
    spec: [
      header,
      'kind: LinkConfig\nname: wire0\nmtu: 1400\naddresses: [{ address: 10.9.8.7/24, routePriority: 7 }, { address: 10.9.9.9/24 }]\n',
      'kind: BridgeConfig\nname: br0\nlinks: [wire2, va]\naddresses: [{ address: 10.20.0.1/24 }]\nroutes: [{ destination: 10.66.0.0/16, gateway: 10.20.0.9, table: "66" }]\n',
      'kind: VethConfig\nname: va\npeer: { name: vb }\n',
      'kind: RoutingRuleConfig\nname: "7000"\nsrc: 10.9.8.0/24\ntable: "66"\n',
      'kind: BlackholeRouteConfig\nname: 10.67.0.0/16\n',
      'kind: LinkConfig\nname: missing0\nup: true\n',
    ].join('---\napiVersion: v1alpha1\n'),
  });
  // What waits for something else is tried again later.
  const later = async () => {
    for (let second = 0; second < 5; second += 1) await node.advance(1000);
  };
  await later();
  await has('link show dev wire0', /mtu 1400/);
  await has('-4 addr show dev wire0', /10\.9\.8\.7\/24 metric 7/);
  await has('link show dev wire2', /master br0/);
  await has('-4 addr show dev br0', /10\.20\.0\.1/);
  await has('route show table 66', /^10\.66\.0\.0\/16 via 10\.20\.0\.9 dev br0/m);
  await has('route show', /^blackhole 10\.67\.0\.0\/16/m);
  await has('rule show', /^7000:\s+from 10\.9\.8\.0\/24 lookup 66 proto static/m);
  await eventually(() => /no such network device/.test(problems.ofAddresses() ?? ''), {
    ...{ what: 'a problem of missing0', explain: () => problems.ofAddresses() ?? '' },
  });

  ip('link del br0');
  ip('rule del priority 7000');
  ip('link set wire0 mtu 1300');
  await later();
  await has('link show dev wire2', /master br0/);
  await has('route show table 66', /^10\.66\.0\.0\/16 via 10\.20\.0\.9 dev br0/m);
  await has('rule show', /^7000:/m);
  await has('link show dev wire0', /mtu 1400/);

  await putResource(node.state, { ...config, spec: header });
  await later();
  await has('rule show', /^(?![\s\S]*7000:)/);
  await has('link show', /^(?![\s\S]*(?:br0|va@))/);
  await has('link show dev wire0', /mtu 1500/);
  await has('-4 addr show dev wire0', /^(?![\s\S]*10\.9\.9\.9)[\s\S]*10\.9\.8\.7\/24 brd/);
  await has('route show', /^(?![\s\S]*blackhole)/);
  assert.match(ip('link show dev cni0'), /[<,]UP[,>].*mtu 1450/);
  assert.match(ip('link show dev flannel.1'), /[<,]UP[,>].*mtu 1450/);
  assert.match(ip('link show dev pod0'), /[<,]UP[,>].*master cni0/);
  assert.match(ip('-4 addr show dev cni0'), /10\.78\.0\.1\/24/);
  assert.match(ip('route show table 66'), /^10\.79\.0\.0\/16 via 10\.78\.0\.9 dev cni0 proto static/m);
  assert.match(ip('route show'), /^10\.77\.0\.0\/16 dev cni0/m);
  assert.match(ip('rule show'), /^5000:/m);
});
