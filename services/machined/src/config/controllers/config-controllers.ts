import type { Controller } from '@nodewright/controllers';
import { type AcquireInit, createAcquireController } from './acquire.ts';
import { createMachineTypeController } from './machine-type.ts';
import { createPersistenceController, type PersistenceInit } from './persistence.ts';

export type ConfigControllersInit = AcquireInit & PersistenceInit;

/** The controllers that load and store the machine configuration and derive the machine type from it. */
export function configControllers(init: ConfigControllersInit & Pick<AcquireInit, 'keeper'>): Controller[] {
  return [createAcquireController(init), createPersistenceController(init), createMachineTypeController()];
}
