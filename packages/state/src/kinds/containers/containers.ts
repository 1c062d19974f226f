import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  int32,
  list,
  message,
  optional,
  text,
  uint64,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { containerImagePhase } from './enumerations.ts';

const containerImageSpec = message({
  /** Canonical image reference. */
  ref: unlessEmpty(1, text),
});
export type ContainerImageSpec = ValueOf<typeof containerImageSpec>;

const containerRunAsSpec = message({
  uid: unlessEmpty(1, optional(int32)),
  gid: unlessEmpty(2, optional(int32)),
});
export type ContainerRunAsSpec = ValueOf<typeof containerRunAsSpec>;

const containerMountSpec = message({
  kind: field(1, text),
  volumeID: unlessEmpty(2, text),
  source: unlessEmpty(3, text),
  destination: field(4, text),
  size: unlessEmpty(5, uint64),
  options: unlessEmpty(6, list(text)),
});
export type ContainerMountSpec = ValueOf<typeof containerMountSpec>;

const containerSecuritySpec = message({
  privileged: unlessEmpty(1, bool),
  capabilitiesAdd: unlessEmpty(2, list(text)),
  capabilitiesDrop: unlessEmpty(3, list(text)),
});
export type ContainerSecuritySpec = ValueOf<typeof containerSecuritySpec>;

const containerNetworkSpec = message({
  hostNetwork: unlessEmpty(1, bool),
});
export type ContainerNetworkSpec = ValueOf<typeof containerNetworkSpec>;

const containerResourcesSpec = message({
  /** Bytes. */
  memoryLimit: unlessEmpty(1, uint64),
  cpuLimit: unlessEmpty(2, uint64),
});
export type ContainerResourcesSpec = ValueOf<typeof containerResourcesSpec>;

const containerDependsOnSpec = message({
  paths: unlessEmpty(1, list(text)),
  networks: unlessEmpty(2, list(text)),
  time: unlessEmpty(3, bool),
  containers: unlessEmpty(4, list(text)),
});
export type ContainerDependsOnSpec = ValueOf<typeof containerDependsOnSpec>;

const resolvedMountSpec = message({
  kind: field(1, text),
  source: unlessEmpty(2, text),
  destination: field(3, text),
  size: unlessEmpty(4, uint64),
  options: unlessEmpty(5, list(text)),
});
export type ResolvedMountSpec = ValueOf<typeof resolvedMountSpec>;

/** Containers from the machine configuration, by name. */
export const containerSpecs = defineKind({
  type: 'ContainerSpecs.containers.talos.dev',
  defaultNamespace: 'containers',
  aliases: ['containerspec', 'containerspecs'],
  printColumns: {
    Image: '{.image.ref}',
  },
  spec: {
    /** Image of the container. */
    image: field(1, containerImageSpec),
    entrypoint: unlessEmpty(2, list(text)),
    args: unlessEmpty(3, list(text)),
    workingDir: unlessEmpty(4, text),
    runAs: unlessEmpty(5, containerRunAsSpec),
    /** `NAME=value`. */
    environment: unlessEmpty(6, list(text)),
    mounts: unlessEmpty(7, list(containerMountSpec)),
    security: unlessEmpty(8, containerSecuritySpec),
    network: unlessEmpty(9, containerNetworkSpec),
    resources: unlessEmpty(10, containerResourcesSpec),
    /** Conditions that must hold before the container starts. */
    dependsOn: unlessEmpty(11, containerDependsOnSpec),
  },
});
export type ContainerSpecSpec = SpecOf<typeof containerSpecs>;

/** Pull status of the image of each container, by container name. */
export const containerImageStatuses = defineKind({
  type: 'ContainerImageStatuses.containers.talos.dev',
  defaultNamespace: 'containers',
  aliases: ['containerimagestatus', 'containerimagestatuses'],
  printColumns: {
    Phase: '{.phase}',
    Digest: '{.digest}',
  },
  spec: {
    phase: field(1, containerImagePhase),
    image: field(2, text),
    digest: unlessEmpty(3, text),
    error: unlessEmpty(4, text),
  },
});
export type ContainerImageStatusSpec = SpecOf<typeof containerImageStatuses>;

/** One start of a container, with the ID `<container>-<generation>`. */
export const containerInstanceSpecs = defineKind({
  type: 'ContainerInstanceSpecs.containers.talos.dev',
  defaultNamespace: 'containers',
  aliases: ['containerinstancespec', 'containerinstancespecs'],
  printColumns: {
    Container: '{.containerID}',
    Generation: '{.generation}',
    Image: '{.image}',
  },
  spec: {
    containerID: field(1, text),
    generation: field(2, uint64),
    image: field(3, text),
    entrypoint: unlessEmpty(4, list(text)),
    args: unlessEmpty(5, list(text)),
    workingDir: unlessEmpty(6, text),
    runAs: unlessEmpty(7, containerRunAsSpec),
    environment: unlessEmpty(8, list(text)),
    mounts: unlessEmpty(9, list(resolvedMountSpec)),
    security: unlessEmpty(10, containerSecuritySpec),
    network: unlessEmpty(11, containerNetworkSpec),
    resources: unlessEmpty(12, containerResourcesSpec),
  },
});
export type ContainerInstanceSpecSpec = SpecOf<typeof containerInstanceSpecs>;
