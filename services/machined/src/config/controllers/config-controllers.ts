import type { Controller } from '@nodewright/controllers';
import { type AcquireInit, createAcquireController } from './acquire.ts';
import { createMachineTypeController } from './machine-type.ts';
import { createPersistenceController, type PersistenceInit } from './persistence.ts';

export type ConfigControllersInit = AcquireInit & PersistenceInit;

/** Where the machine configuration comes from, where it goes, and what this machine is by it. */
export function configControllers(init: ConfigControllersInit & Pick<AcquireInit, 'keeper'>): Controller[] {
  return [createAcquireController(init), createPersistenceController(init), createMachineTypeController()];
}
