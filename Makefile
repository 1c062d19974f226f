# The verbs of this project. `make help` lists them.
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help

machine := $(shell uname -m)
arch := $(if $(filter aarch64 arm64,$(machine)),arm64,x64)
runtime := node_modules/node-linux-$(arch)/bin
node := $(runtime)/node
# Everything runs on the pinned Node, whatever the machine has.
export PATH := $(CURDIR)/$(runtime):$(CURDIR)/node_modules/.bin:$(PATH)

installed := _out/.installed
built := _out/dist/.built
sources := $(shell find packages services cli images rootfs/start tools/images tools/build.ts tools/build-page.ts -name node_modules -prune -o -type f -print 2>/dev/null)

cluster ?= talos-default
controlplanes ?= 3
workers ?= 1
# docker or process; docker where an engine answers when it is not set.
PROVISIONER ?=
# With docker: each node is one container of the image that `make node-image` makes.
NODE_IMAGE ?=
# Set it to run Kubernetes: on containers with kubelets where an engine answers, else its control plane on processes.
KUBERNETES ?=
# What the nodes are, process or docker; and for `make chaos` the seconds of faults.
CLUSTER ?=
DURATION ?=
# Some test files: for `make test` by their names, for other suites and `make test-flakes` as patterns.
FILES ?=
# For `make test-changed`: the commit to compare with, how long it may take, and whether it ends at the first failure.
BASE ?=
FIRST ?=
# For `make test-flakes`: how often each file runs.
TIMES ?= 20
# For `make mutate`: the files or folders in which faults are planted, how many, and how long the tests of each may take, in seconds.
PATHS ?=
COUNT ?=
SECONDS ?=
# For `make mutate`: what is drawn, a new number by default. For `make sim`: the first graph and roll-out, and how many; for `make measure-boot` how many boots, for `make test-boot-devices`
# how many rounds; for `make chaos` the schedule.
SEED ?=
# For `make fuzz-h2`, `make soak-h2` and `make soak-node`: how long; for the first the seed of its first run. For `make
# test-boot-network` how long a lease is renewed, 10 by default.
MINUTES ?=
H2_SEED ?=
# For `make test-boot-network` and `make test-network-sequences`: how many random sequences, 100 by default, or all of them.
SEQUENCES ?=
# For `make soak-weeks`: the share of a week, 1 by default.
SHARE ?=
# For `make soak-download`: how much, 20 by default.
GIB ?=
RUNS ?=
# For `make measure` and `make bench-state`: 1, to put the figures into docs/measurements in place of those that are there.
RECORD ?=
# For `make sample-text`: the commit after which subjects count; the last fifty by default.
SINCE ?=
# For `make test-upstream`: how often each test runs, 1 by default; for `make measure-reboots` how often each client reboots a node, 50 by default.
REPEAT ?=
# For `make test` and `make test-upstream`: which test files run on containers, or none; all by default.
CONTAINER_FILES ?=
# For `make image`: system extensions, in the order in which they are stacked: folders, squashfs files, OCI layouts (folders or
# archives), or images of registries.
EXTENSIONS ?=
# For `make image` and `make test-boot-devices`: cloud, or full for Debian's kernel with USB; cloud by default.
KERNEL ?=
# For `make reproducible`: cached, for builds with the Go programs that caches have.
PROGRAMS ?=
# For `make verify-extension-set`: the file of a set.
SET ?=
# For `make verify-installer`: the folder or the archive of an artefact, or its name in a registry; that of `make installer` by default.
INSTALLER ?=
# For `make upgrade-image` and `make rehearsal`: the version of its system, such as v1.14.1.
VERSION ?=
# For `make rehearsal`: 1, for a system that never becomes ready.
BROKEN ?=
# For `make iso`: arguments of the kernel that it adds to those of the image.
KERNEL_ARGUMENTS ?=
# For `make rootfs-lock`: add the packages that the lock lacks and keep the others.
ADD ?=
# For `make freshness`: json for rows that a program reads.
OUTPUT ?=
# For `make pictures` the pictures to make, for `make judges` the judges to ask, with commas; all by default.
ONLY ?=
# For `make judges`: each judge gets a subject that is broken on purpose, and must refuse it.
BROKEN ?=
# For `make e2e-kubernetes`: a regular expression for names of cases, and which results of the run before count: 1 all, failed those that passed.
FOCUS ?=
RESUME ?=
# For `make attack` and `make attack-network`: the attacks and checks to run, with commas; all by default.
CASES ?=

# Runs a suite and writes its result for `make test-status`, unless only a part of it was chosen, or other nodes.
suite = node tools/suite.ts $@ $(if $(FILES)$(CONTAINER_FILES)$(CASES)$(FOCUS)$(ENDPOINT)$(CLUSTER)$(KUBERNETES)$(MINUTES)$(SHARE)$(GIB)$(RUNS)$(CUTS)$(DURATION)$(BROKEN)$(ONLY)$(PROGRAMS)$(SEQUENCES),--part) --

# The verbs by what they are for: `make help` prints the first group, `make help-all` every group.
define groups
What most people need: up down test test-changed check format generate build docs clean
Tests of daemons, clusters and documents: test-status test-flakes mutate test-docs test-ui test-user test-compose test-node-image test-upstream conformance test-node-http2 grpc-interop h2spec test-registry test-devices test-network test-virtual-address test-programs test-upgrade test-upgrade-all judges
Faults, attacks and long runs: chaos attack attack-network test-network-sequences sim test-fuzz test-config-fuzz test-convert fuzz-h2 test-soak soak-h2 soak-download soak-node soak-weeks
Measurements: measure measure-reboots measure-upgrades measure-kubernetes measure-boot measure-memory measure-package bench bench-copy bench-state bench-ui bench-registry test-bench scale
Kubernetes: kubernetes test-kubernetes test-kubelet e2e-kubernetes
Programs and images that clusters and tests use: etcd images engine jaeger containerd upstream-client interop-programs sdk package rehearsal
Images of machines: image boot rootfs rootfs-programs node-image installer iso qcow2 upgrade-image extension-set verify-image verify-extension-set verify-installer reproducible
Tests of machines: test-boot test-boot-long test-boot-uefi test-boot-plain test-boot-network test-boot-extensions test-boot-devices test-boot-extension-sets test-boot-kubernetes test-boot-image-cache test-upgrade-machine test-powercut test-powercut-upgrade
Upkeep: update freshness rootfs-lock pictures sample-text help help-all
endef
export groups

# Prints the groups up to the number `last`, each verb with the sentence after its `##`.
print_groups = awk -F ':.*\#\# ' -v last=$(1) ' \
  /^[a-z][a-z0-9-]*:.*\#\# / { says[$$1] = $$2 } \
  END { count = split(ENVIRON["groups"], group, "\n"); \
    for (at = 1; at <= count && at <= last; at++) { \
      colon = index(group[at], ": "); print (at > 1 ? "\n" : "") substr(group[at], 1, colon); \
      words = split(substr(group[at], colon + 2), verb, " "); \
      for (one = 1; one <= words; one++) printf "  make %-24s %s\n", verb[one], says[verb[one]] } }' $(MAKEFILE_LIST)

.PHONY: help
help: ## lists the verbs that most people need
	@$(call print_groups,1)
	@echo && echo 'make help-all lists every verb.'

.PHONY: help-all
help-all: ## lists every verb, by what it is for
	@$(call print_groups,99)

.PHONY: up
up: $(built) ## builds and starts 3 control planes and 1 worker, on docker where an engine answers (PROVISIONER= KUBERNETES=)
	@node tools/up.ts up --name $(cluster) --controlplanes $(controlplanes) --workers $(workers) \
	  --provisioner '$(PROVISIONER)' $(if $(NODE_IMAGE),--node-image) $(if $(KUBERNETES),--kubernetes)
	@test -z "$$TALOSCONFIG" || echo 'TALOSCONFIG is set and names another file: unset it to use this cluster'

.PHONY: down
down: $(built) ## ends the cluster and removes what it left
	@node tools/up.ts down --name $(cluster)

.PHONY: test
test: $(if $(FILES),$(installed),check $(built)) ## passes the tests, with containers where an engine answers; says what it skipped (FILES= names some)
	@CONTAINER_FILES='$(CONTAINER_FILES)' $(suite) node tools/test.ts $(if $(FILES),--named $(foreach name,$(FILES),'$(name)'))

.PHONY: test-changed
test-changed: $(built) ## runs the tests that may notice a change, likeliest first, for ten minutes at most (BASE= MINUTES= FIRST=1)
	@node tools/test-changed.ts --base '$(BASE)' --minutes '$(MINUTES)' $(if $(FIRST),--first)

.PHONY: test-status
test-status: $(installed) ## lists which suites passed since the files that they reach were changed
	@node tools/test-status.ts

.PHONY: docs
docs: $(installed) ## writes the documentation as pages with a search to _out/docs
	@node tools/docs.ts

.PHONY: pictures
pictures: $(built) ## makes the pictures of the README from a cluster of processes; needs tmux and Chromium (ONLY=)
	@node tools/prepare-nodes.ts process
	@node tools/pictures.ts --only '$(ONLY)'

.PHONY: test-docs
test-docs: $(built) ## checks that the documentation is complete, and runs the commands of all tutorials and how-tos
	@node tools/prepare-nodes.ts
	@TUTORIALS=all $(suite) node tools/test.ts 'tests/docs/*.test.ts'

.PHONY: test-flakes
test-flakes: $(built) ## runs test files many times, and counts the failures of each test (FILES= TIMES=)
	@test -n '$(FILES)' || { echo "FILES is missing: make test-flakes FILES='packages/h2/**/*.test.ts' TIMES=20" >&2; exit 2; }
	@node tools/test.ts --times='$(TIMES)' $(foreach pattern,$(FILES),'$(pattern)')

.PHONY: mutate
mutate: $(installed) ## plants faults one at a time in a copy, and lists those that no test notices (SEED= COUNT= PATHS= BASE=)
	@node tools/mutate.ts --seed '$(SEED)' --count '$(COUNT)' --seconds '$(SECONDS)' --base '$(BASE)' $(PATHS)

.PHONY: test-ui
test-ui: $(built) ## opens the page of talosctl ui in Chromium, on a cluster of processes and on hostile nodes
	@node tools/prepare-nodes.ts process
	@$(suite) node tools/test.ts 'tests/ui/*.test.ts'

.PHONY: test-fuzz
test-fuzz: $(built) ## throws garbage at the listening sockets for a bounded minute each
	@$(suite) node tools/test.ts 'tests/fuzz/**/*.test.ts'

.PHONY: test-config-fuzz
test-config-fuzz: $(installed) ## reads 100,000 mutations of valid configurations (SEED= RUNS=)
	@SEED='$(SEED)' RUNS='$(RUNS)' $(suite) node tests/fuzz/config/fuzz.ts

.PHONY: test-convert
test-convert: $(installed) ## converts 20,000 generated configurations there and back, and proves each (RUNS= SEED=)
	@RUNS='$(RUNS)' SEED='$(SEED)' $(suite) node tests/fuzz/convert/convert.ts

.PHONY: fuzz-h2
fuzz-h2: $(installed) ## fuzzes the frame engine of HTTP/2 for an hour (MINUTES= H2_SEED=)
	@MINUTES='$(MINUTES)' H2_SEED='$(H2_SEED)' $(suite) node tests/fuzz/h2/fuzz-h2.ts

.PHONY: soak-h2
soak-h2: $(built) ## connects, calls and disconnects for an hour, then checks the memory of the daemons (MINUTES= SEED=)
	@MINUTES='$(MINUTES)' SEED='$(SEED)' $(suite) node tests/soak/h2/soak-h2.ts

.PHONY: soak-download
soak-download: $(built) ## downloads 20 GiB in one call through two gateways, beside other calls, minutes (GIB=)
	@GIB='$(GIB)' $(suite) node tests/soak/download/large-download.ts

.PHONY: soak-node
soak-node: $(built) ## looks at what machined holds in a node of one container for an hour; needs a Docker engine (MINUTES=)
	@node tools/prepare-nodes.ts node-image
	@MINUTES='$(MINUTES)' $(suite) node tests/soak/node/soak-node.ts

.PHONY: soak-weeks
soak-weeks: $(installed) ## makes as many passes as a week has of what runs for weeks, and checks that nothing stays (SHARE=)
	@SHARE='$(SHARE)' $(suite) node tests/soak/weeks/soak-weeks.ts

.PHONY: interop-programs
interop-programs: $(installed) ## builds the programs of others that judge the gateway and registryd from Go modules, minutes once
	@node tests/interop/build-programs.ts client server h2spec distribution

.PHONY: grpc-interop
grpc-interop: $(installed) ## calls through apid's gateway with grpc-go's interoperability client and other clients
	@node tests/interop/build-programs.ts client server
	@$(suite) node tools/test.ts 'tests/interop/grpc/*.test.ts'

.PHONY: h2spec
h2spec: $(installed) ## checks apid's listener with h2spec, the tests of HTTP/2 servers
	@node tests/interop/build-programs.ts h2spec
	@$(suite) node tools/test.ts 'tests/interop/h2spec/*.test.ts'

.PHONY: test-node-http2
test-node-http2: $(built) ## runs tests of the gateway with node:http2 in place of the frame engine, a minute
	@H2_ENGINE=node $(suite) node tools/test.ts 'tests/contract/{apid,trustd}/*.test.ts' 'tests/cluster/{routing,fail-over,tracing}.test.ts'

.PHONY: test-registry
test-registry: $(built) ## pulls through registryd with skopeo, containerd and docker, and runs the conformance suite of OCI
	@node tools/containerd.ts
	@node tests/interop/build-programs.ts distribution
	@$(suite) node tools/test.ts 'tests/registry/*.test.ts'

.PHONY: bench-registry
bench-registry: $(built) ## measures 8 pulls of 500 MB at once, and skopeo beside the same from nginx
	@node tests/registry/bench-registry.ts

.PHONY: test-soak
test-soak: $(built) ## follows the logs of ten nodes for a minute while 50 MB are written
	@$(suite) node tools/test.ts 'tests/soak/**/*.test.ts'

.PHONY: sim
sim: $(installed) ## runs 10,000 random graphs of controllers and 10,000 random roll-outs (SEED= RUNS=)
	@SEED='$(SEED)' RUNS='$(RUNS)' $(suite) node tests/sim/sim.ts

.PHONY: chaos
chaos: $(built) ## kills programs and nodes of a cluster while etcd is written to (CLUSTER= KUBERNETES= DURATION= SEED=)
	@node tools/prepare-nodes.ts '$(if $(KUBERNETES),kubernetes,$(CLUSTER))'
	@CLUSTER='$(CLUSTER)' KUBERNETES='$(KUBERNETES)' DURATION='$(DURATION)' SEED='$(SEED)' $(suite) node tests/chaos/chaos.ts

.PHONY: attack
attack: $(built) ## attacks a cluster while a second client uses it, about 40 minutes (CASES=)
	@node tools/prepare-nodes.ts process
	@$(suite) node tests/attack/attack.ts --only '$(CASES)'

.PHONY: attack-network
attack-network: $(built) ## attacks the network of a machine in network namespaces while a second client uses it, ten minutes (root, dnsmasq-base, CASES=)
	@$(suite) node tests/network/attack-network.ts --only '$(CASES)'

.PHONY: test-network-sequences
test-network-sequences: $(installed) ## brings links, addresses and routes through 10,000 random sequences in memory and 500 on the kernel, a short form of which is in make test (root, SEED=, SEQUENCES=)
	@LONG_SEQUENCES=1 SEED='$(SEED)' SEQUENCES='$(SEQUENCES)' $(suite) node tools/test.ts 'services/machined/src/network/{domain,host}/plan*.property.test.ts'

.PHONY: test-compose
test-compose: $(built) ## tests the images and the compose stack; needs a Docker engine
	@$(suite) node tools/test.ts --compose

.PHONY: test-user
test-user: $(built) ## passes the tests that depend on the user as an ordinary user; root becomes nobody for them (FILES=)
	@$(suite) node tools/test-user.ts $(foreach pattern,$(FILES),'$(pattern)')

.PHONY: test-upstream
test-upstream: $(built) ## drives the released talosctl against processes and containers (CONTAINER_FILES=), or a machine (CLUSTER=qemu), once or several times with counted failures (REPEAT=)
	@test '$(CLUSTER)' != qemu || node tools/prepare-nodes.ts qemu
	@REPEAT='$(REPEAT)' CLUSTER='$(CLUSTER)' CONTAINER_FILES='$(CONTAINER_FILES)' $(suite) node tools/test.ts --upstream

.PHONY: conformance
conformance: $(built) ## checks the API of a fresh cluster (CLUSTER=docker node-image qemu), or of ENDPOINT= with TALOSCONFIG=
	@test -n '$(ENDPOINT)' || node tools/prepare-nodes.ts '$(CLUSTER)'
	@$(suite) node tests/conformance/conformance.ts

.PHONY: check
check: $(installed) ## format, lint, types, contracts
	@biome check .
	@tsc --noEmit --incremental --tsBuildInfoFile _out/types.tsbuildinfo
	@tsc --noEmit --incremental --tsBuildInfoFile _out/page-types.tsbuildinfo -p cli/talosctl/src/ui/page
	@buf lint
	@node tools/generate.ts --check

.PHONY: build
build: $(built) ## bundles the programs under _out/dist

.PHONY: sdk
sdk: $(installed) ## makes the TypeScript client as a package to publish, in _out/sdk
	@node tools/sdk.ts

.PHONY: package
package: $(built) ## writes one archive with everything that a cluster of processes runs, for npx or tar, to _out/package
	@node tools/package.ts

.PHONY: measure-package
measure-package: package ## measures the start of a cluster from the archive beside cluster create, five turns
	@node tests/package/measure-package.ts

.PHONY: images
images: $(built) ## makes the container images, Jaeger's among them where it cannot be pulled
	@node tools/images.ts --jaeger --etcd
	@node tools/images.ts

.PHONY: etcd
etcd: $(installed) ## fetches or builds the etcd that control planes of processes run, into _out/tools
	@node tools/etcd.ts

.PHONY: kubernetes
kubernetes: $(installed) ## builds the programs of Kubernetes from Go modules, 15 minutes once
	@node tools/kubernetes.ts

.PHONY: test-kubernetes
test-kubernetes: $(built) ## tests Kubernetes on nodes of processes; builds it when it is missing (FILES=)
	@node tools/kubernetes.ts
	@node tools/etcd.ts
	@$(suite) node tools/test.ts --kubernetes '$(or $(FILES),tests/kubernetes/*.test.ts)'

kubelet_tests := tests/kubernetes/{kubelet,kubelet-rollout,ready,upkeep,workloads}.test.ts

.PHONY: test-kubelet
test-kubelet: $(built) ## tests containers whose kubelets run Kubernetes; needs a Docker engine, builds what is missing (FILES=)
	@node tools/prepare-nodes.ts kubernetes
	@$(suite) node tools/test.ts --kubernetes '$(or $(FILES),$(kubelet_tests))'

.PHONY: e2e-kubernetes
e2e-kubernetes: $(built) ## runs the conformance cases of Kubernetes on four containers, about an hour; needs a Docker engine (CLUSTER= FOCUS= MINUTES= RESUME=)
	@node tools/prepare-nodes.ts kubernetes
	@CLUSTER='$(CLUSTER)' FOCUS='$(FOCUS)' MINUTES='$(MINUTES)' RESUME='$(RESUME)' $(suite) node tests/e2e-kubernetes/end-to-end.ts

.PHONY: jaeger
jaeger: $(installed) ## builds Jaeger as a program for the traces of nodes of processes, minutes once
	@node tools/jaeger.ts

.PHONY: containerd
containerd: $(installed) ## fetches the containerd and runc that the tests of its driver start, into _out/tools
	@node tools/containerd.ts

.PHONY: upstream-client
upstream-client: $(installed) ## builds the released talosctl of upstream from its Go modules, minutes once
	@node tools/upstream-client.ts

.PHONY: engine
engine: $(installed) ## starts a Docker engine where none answers, and installs a missing one (root)
	@command -v dockerd >/dev/null 2>&1 || node tools/engine.ts status >/dev/null 2>&1 || node tools/engine.ts install
	@node tools/engine.ts start

.PHONY: bench
bench: $(built) ## measures requests, fan-out, streams and memory beside nghttpx and a Go proxy, about a quarter of an hour
	@$(suite) node tests/bench/bench.ts

.PHONY: test-bench
test-bench: $(built) ## runs the benches in their short form, three minutes
	@$(suite) node tools/test.ts 'tests/bench/*.test.ts'

.PHONY: scale
scale: $(built) ## measures one apid before 100 nodes and 1,000 client connections, two minutes
	@$(suite) node tests/scale/scale.ts

.PHONY: bench-copy
bench-copy: $(built) ## measures copies of a hundred thousand files and of a sparse one beside tar | gzip
	@node tests/bench/copy.ts

.PHONY: bench-state
bench-state: $(installed) ## measures the store of resources: writes, watches, memory, over gRPC (RECORD=1)
	@RECORD='$(RECORD)' node tests/bench/state.ts

.PHONY: bench-ui
bench-ui: $(built) ## measures the page: size, first paint, script per frame with 100 nodes and 1,000 lines of logs a second
	@node tests/ui/bench-ui.ts

.PHONY: measure
measure: $(built) ## measures the budgets of docs/measurements/budgets.md (RECORD=1 writes them there)
	@node tools/prepare-nodes.ts process
	@RECORD='$(RECORD)' node tests/bench/budgets.ts

.PHONY: measure-reboots
measure-reboots: $(built) ## measures pairs of reboots with and without watchers (RUNS=, five by default), then counts what fails of reboot --wait && version with the released client and ours (REPEAT=, fifty by default)
	@node tools/prepare-nodes.ts process
	@node tools/upstream-client.ts
	@node tests/bench/reboots.ts --pairs '$(RUNS)' --times '$(REPEAT)'

.PHONY: measure-upgrades
measure-upgrades: $(built) ## measures the upgrade of five nodes of processes by one command beside five single reboots, in turns (RUNS=, three by default); ten minutes
	@node tools/prepare-nodes.ts process
	@node tests/bench/upgrades.ts --pairs '$(or $(RUNS),3)'

.PHONY: measure-kubernetes
measure-kubernetes: $(built) ## measures four nodes with Kubernetes: time to Ready, memory of each program, disk; needs a Docker engine (CLUSTER=)
	@node tools/prepare-nodes.ts kubernetes
	@CLUSTER='$(CLUSTER)' node tests/bench/kubernetes/kubernetes-nodes.ts

.PHONY: rootfs
rootfs: $(built) ## builds the root file system of machines into _out/image, without root; two minutes, the first time five
	@KERNEL='$(KERNEL)' node rootfs/build-rootfs.ts

.PHONY: rootfs-programs
rootfs-programs: $(installed) ## builds containerd, runc and the CNI plugins of machines from Go modules, minutes once
	@node rootfs/build-programs.ts

.PHONY: test-programs
test-programs: $(built) rootfs-programs ## runs the programs of machines in the root of machines (root)
	@$(suite) node tools/test.ts 'tests/rootfs/programs/*.test.ts'

.PHONY: test-devices
test-devices: $(built) ## runs udevd-bridge with a real udevd, in namespaces of its own (root)
	@$(suite) node tests/devices/run.ts

.PHONY: test-upgrade
test-upgrade: $(built) ## upgrades nodes of processes, one by one and all with one command, rolls them back, lets new systems fail (make etcd, REPEAT= for the released client); three minutes
	@node tools/upstream-client.ts
	@REPEAT='$(REPEAT)' $(suite) node tools/test.ts 'tests/upgrade/*.test.ts'

.PHONY: test-upgrade-all
test-upgrade-all: $(built) ## upgrades a cluster of five nodes of processes with one command, kills its driver, and lets one node fail (make etcd); five minutes
	@$(suite) node tools/test.ts 'tests/upgrade/long/*.test.ts'

.PHONY: test-virtual-address
test-virtual-address: $(built) ## control planes compete for a virtual address: with links of their own and a real etcd (root), and as nodes of the node image (an engine, make node-image); two minutes
	@$(suite) node tools/test.ts 'tests/virtual-address/*.test.ts'

.PHONY: test-network
test-network: $(built) ## machines ask dnsmasq for their addresses, and ethtool shows their links, in network namespaces of their own (root, dnsmasq-base, ethtool); two minutes
	@$(suite) node tools/test.ts 'tests/network/*.test.ts'

.PHONY: image
image: $(built) ## builds the root, kernel, initramfs and disk image of machines into _out/image, without root (EXTENSIONS= KERNEL=), with KUBERNETES=1 also one with Kubernetes; about three minutes after a change
	@EXTENSIONS='$(EXTENSIONS)' KERNEL='$(KERNEL)' KUBERNETES='$(KUBERNETES)' node rootfs/build-image.ts

.PHONY: verify-image
verify-image: $(installed) ## compares the image with its signatures (IMAGE_PUBLIC_KEY=)
	@node rootfs/verify-image.ts

.PHONY: reproducible
reproducible: $(installed) ## builds the image of the last commit twice from downloads alone, in two folders, by two users (root), and compares all bytes; twenty minutes, six with PROGRAMS=cached
	@PROGRAMS='$(PROGRAMS)' $(suite) node tests/reproducible/reproducible.ts

.PHONY: extension-set
extension-set: $(built) ## stacks extensions into a signed set for nodes that run the image, into _out/extension-sets (EXTENSIONS=)
	@EXTENSIONS='$(EXTENSIONS)' node rootfs/build-extension-set.ts

.PHONY: verify-extension-set
verify-extension-set: $(installed) ## verifies a set as a node does, with the certificate of the image (SET=)
	@SET='$(SET)' node rootfs/verify-extension-set.ts

.PHONY: node-image
node-image: $(built) ## packs the root file system of machines as a container image that is a whole node, about a minute (KUBERNETES=1)
	@node rootfs/build-node-image.ts $(if $(KUBERNETES),--kubernetes)

.PHONY: installer
installer: image node-image ## packs all that nodes of any kind need for this version into one signed OCI image, into _out/installer, half a minute besides (KUBERNETES=1)
	@node rootfs/build-installer.ts $(if $(KUBERNETES),--kubernetes)

.PHONY: iso
iso: installer ## packs the image and its artefact into a medium for BIOS and UEFI, which runs in memory and installs without a registry, into _out/iso (KUBERNETES=1 KERNEL_ARGUMENTS=)
	@KERNEL_ARGUMENTS='$(KERNEL_ARGUMENTS)' node rootfs/build-iso.ts $(if $(KUBERNETES),--kubernetes)

.PHONY: qcow2
qcow2: image ## writes the disk image as _out/image/disk.qcow2, for hypervisors (KUBERNETES=1)
	@node rootfs/build-qcow2.ts $(if $(KUBERNETES),--kubernetes)

.PHONY: upgrade-image
upgrade-image: image ## makes the same artefact of another version, to try upgrades with, into _out/upgrade-images (VERSION= KUBERNETES=1)
	@VERSION='$(VERSION)' KERNEL='$(KERNEL)' node rootfs/build-upgrade-image.ts $(if $(KUBERNETES),--kubernetes)

.PHONY: rehearsal
rehearsal: $(installed) ## makes an artefact of another version for nodes of processes only, to try upgrades with, into _out/rehearsals; without root, in seconds (VERSION= KUBERNETES=1 BROKEN=1)
	@VERSION='$(VERSION)' node rootfs/build-rehearsal.ts $(if $(KUBERNETES),--kubernetes) $(if $(BROKEN),--broken)

.PHONY: verify-installer
verify-installer: $(installed) ## reads an artefact of the installer whole, as a node does, with the certificate of the image (INSTALLER=)
	@INSTALLER='$(INSTALLER)' node rootfs/verify-installer.ts

.PHONY: test-node-image
test-node-image: node-image ## tests nodes that are one container each; needs a Docker engine (FILES=)
	@$(suite) node tools/test.ts --node-image $(foreach pattern,$(FILES),'$(pattern)')

.PHONY: boot
boot: $(built) ## boots the image in an emulated machine that keeps its disk; its console is the terminal, its API 127.0.0.1:50000
	@node rootfs/boot-machine.ts

.PHONY: measure-boot
measure-boot: $(built) ## boots the disk image in an emulated machine, five times (RUNS=), and measures each phase
	@RUNS='$(RUNS)' node rootfs/measure-boot.ts

.PHONY: measure-memory
measure-memory: $(built) ## boots a control plane and a worker, and measures their memory after five minutes
	@node rootfs/measure-memory.ts

.PHONY: test-boot
test-boot: image ## boots emulated machines by BIOS and UEFI and uses their API, a quarter of an hour (FILES=)
	@$(suite) node tools/test.ts --boot $(if $(FILES),'$(FILES)')

upgrade_tests := tests/boot/short-upgrade.test.ts tests/boot/upgrade.test.ts tests/boot/install.test.ts tests/boot/long/broken-images.test.ts \
  tests/boot/long/released-client.test.ts

.PHONY: test-upgrade-machine
test-upgrade-machine: VERSION = v1.14.1
test-upgrade-machine: iso upgrade-image upstream-client ## installs machines from the ISO, upgrades them and back, also by the released client, and tries eight systems that do not work (FILES=), three hours
	@$(suite) node tools/test.ts --boot --alone $(foreach pattern,$(or $(FILES),$(upgrade_tests)),'$(pattern)')

.PHONY: test-boot-long
test-boot-long: image ## uses, restarts and resets machines, one of which runs etcd from the images on its disk, a quarter of an hour
	@$(suite) node tools/test.ts --boot 'tests/boot/long/{kept-data,containers,other-disk}.test.ts'

.PHONY: test-boot-uefi
test-boot-uefi: image ## boots emulated machines with UEFI Secure Boot, and changes their image
	@$(suite) node tools/test.ts --boot 'tests/boot/secure-boot.test.ts'

.PHONY: judges
judges: image ## asks programs of others whether the image, servers and certificates are right, and writes docs/judges.md; BROKEN=1 gives them broken ones (ONLY=)
	@BROKEN='$(BROKEN)' ONLY='$(ONLY)' $(suite) node tests/judges/judges.ts

.PHONY: test-boot-plain
test-boot-plain: image ## boots machines with the files of gen config, ours and the released client's, on a network of the test (root, FILES=), twenty minutes
	@node tools/upstream-client.ts
	@$(suite) node tools/test.ts --boot --alone '$(or $(FILES),tests/boot/plain/*.test.ts)'

.PHONY: test-boot-network
test-boot-network: image ## boots machines that get their address by DHCP, configures every kind of link, and asks ip, wg and ethtool in the machine (root, FILES=, SEQUENCES=, SEED=, MINUTES=), an hour
	@node tools/upstream-client.ts
	@KERNEL='$(KERNEL)' MINUTES='$(MINUTES)' SEQUENCES='$(SEQUENCES)' SEED='$(SEED)' $(suite) node tools/test.ts --boot --alone '$(or $(FILES),tests/boot/network/*.test.ts)'

.PHONY: test-boot-extensions
test-boot-extensions: image ## boots machines with a module, a rule and a service of an extension, some minutes
	@$(suite) node tools/test.ts --boot 'tests/boot/long/extension-services.test.ts'

.PHONY: test-boot-devices
test-boot-devices: image ## adds disks and a link to an emulated machine while it runs, with KERNEL=full also on USB, and removes them, some minutes
	@KERNEL='$(KERNEL)' RUNS='$(RUNS)' $(suite) node tools/test.ts --boot 'tests/boot/long/devices.test.ts'

.PHONY: test-boot-extension-sets
test-boot-extension-sets: image ## installs sets of extensions on running machines, also with UEFI Secure Boot; about fifteen minutes
	@$(suite) node tools/test.ts --boot 'tests/boot/long/extension-sets.test.ts'

.PHONY: test-boot-kubernetes
test-boot-kubernetes: kubernetes $(built) ## boots a machine that runs Kubernetes and pods of users, and restarts it, more than twenty minutes
	@KUBERNETES=1 node rootfs/build-image.ts
	@$(suite) node tools/test.ts --boot 'tests/boot/long/kubernetes.test.ts'

.PHONY: test-boot-image-cache
test-boot-image-cache: image ## boots a machine whose containerd pulls through registryd, some minutes
	@$(suite) node tools/test.ts --boot 'tests/boot/long/image-cache.test.ts'

.PHONY: test-powercut
test-powercut: image ## takes the power from emulated machines at 60 moments (SEED=, CUTS=) and examines their disks; resumes a run
	@SEED='$(SEED)' CUTS='$(CUTS)' $(suite) node tests/powercut/powercut.ts

.PHONY: test-powercut-upgrade
test-powercut-upgrade: VERSION = v1.14.1
test-powercut-upgrade: iso upgrade-image ## takes the power from a machine that is installed, upgraded and rolled back, at 24 moments (SEED=, CUTS=), and examines its disks; resumes a run
	@SEED='$(SEED)' CUTS='$(CUTS)' $(suite) node tests/powercut/upgrade/powercut-upgrade.ts

.PHONY: rootfs-lock
rootfs-lock: $(installed) ## locks the newest versions of the Debian packages in the root file system (ADD=1: missing ones only)
	@node rootfs/lock-packages.ts $(if $(ADD),--add)

.PHONY: update
update: $(installed) ## renews the locks of Debian, npm and Go, and says which suites must pass then; minutes
	@node tools/update.ts

.PHONY: freshness
freshness: $(installed) ## prints which locked packages are old and for how long, and which are held (OUTPUT=json)
	@node tools/freshness.ts $(if $(OUTPUT),-o '$(OUTPUT)')

.PHONY: generate
generate: $(installed) ## makes the code of the contracts anew
	@node tools/generate.ts

.PHONY: sample-text
sample-text: $(installed) ## prints comments, texts and subjects drawn by lot, to be read (SEED=, SINCE=)
	@SEED='$(SEED)' SINCE='$(SINCE)' node tools/sample-text.ts

.PHONY: format
format: $(installed) ## formats the sources
	@biome check --write .

.PHONY: clean
clean: down ## ends the cluster and removes everything that was built
	@rm -rf _out node_modules

$(installed): package-lock.json package.json
	@command -v npm >/dev/null 2>&1 || { echo 'npm is missing: install Node.js 18 or later with npm, e.g. apt-get install nodejs npm' >&2; exit 1; }
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@test -x $(node) || { echo 'the pinned Node.js was not installed: there is one for Linux on x64 and arm64, this is $(machine)' >&2; exit 1; }
	@$(node) --version >/dev/null 2>&1 || { echo 'the pinned Node.js does not start, most likely for want of a library: apt-get install libatomic1 libstdc++6' >&2; $(node) --version; }
	@mkdir -p $(@D) && touch $@

$(built): $(installed) $(sources)
	@node tools/build.ts
	@touch $@
