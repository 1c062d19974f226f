import { rustClients } from './clients/rust-clients.ts';
import { linearizability } from './consistency/history.ts';
import { fileSystems } from './files/file-systems.ts';
import { hardenedPrograms } from './files/hardened-programs.ts';
import { imageArchive } from './files/image-archive.ts';
import { kernelHardening } from './files/kernel-hardening.ts';
import { listOfParts } from './files/list-of-parts.ts';
import { partitions } from './files/partitions.ts';
import { secureBoot } from './files/secure-boot.ts';
import { verity } from './files/verity.ts';
import type { Judge } from './judge.ts';
import { certificates } from './network/certificates.ts';
import { tlsServers } from './network/tls-servers.ts';

/** All judges, in the order of the table. */
export const judges: readonly Judge[] = [
  verity,
  secureBoot,
  partitions,
  ...fileSystems,
  hardenedPrograms,
  kernelHardening,
  ...listOfParts,
  imageArchive,
  ...tlsServers,
  ...certificates,
  ...rustClients,
  linearizability,
];
