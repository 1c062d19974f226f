import type { Controller } from '@nodewright/controllers';
import { createTimeSyncController, type TimeSyncInit } from './sync.ts';

export type TimeControllersInit = TimeSyncInit;

/** Source: Talos v1.14: COSI resources, time. */
export function timeControllers(init: TimeControllersInit): Controller[] {
  return [createTimeSyncController(init)];
}
