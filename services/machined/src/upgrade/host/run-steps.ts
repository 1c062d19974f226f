import type { BootLoader, LoadedKernel, UpgradeRecord, UpgradeStep } from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { NewSystem, SlotWriter } from './slot-writer.ts';

/** What carries out the steps of a plan. */
export interface StepTools {
  readonly loader: BootLoader;
  readonly writer: SlotWriter;
  readonly writeRecord: (record: UpgradeRecord) => Promise<void>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** What some plans need besides. */
export interface StepInput {
  /** What fills a slot. */
  readonly system?: NewSystem;
  /** Loads a kernel that the machine can be ended with. */
  readonly load?: (kernel: LoadedKernel) => Promise<void>;
}

/**
 * Carries out steps one after the other, and ends at the first one that fails: the next plan begins with what is there then. A slot that
 * could not be filled is empty afterwards.
 *
 * @returns how the machine is to be restarted, which is left to the caller; undefined when it goes on
 */
export async function runSteps(
  steps: readonly UpgradeStep[],
  tools: StepTools,
  input: StepInput = {},
): Promise<'firmware' | 'kexec' | undefined> {
  for (const step of steps) {
    if (step.kind === 'restart') return step.by;
    await runStep(step, tools, input);
    tools.log.info({ step: step.kind, ...('slot' in step && { slot: step.slot }) }, 'step of an upgrade');
  }
  return undefined;
}

type Step = Exclude<UpgradeStep, { readonly kind: 'restart' }>;

async function runStep(step: Step, tools: StepTools, { system, load }: StepInput): Promise<void> {
  const { loader, writer, writeRecord, log } = tools;
  switch (step.kind) {
    case 'empty slot':
      return writer.empty(step.slot);
    case 'fill slot':
      if (system === undefined) throw new Fault('internal', 'there is no system to write');
      return orEmpty(step.slot, tools, () => writer.fill(step.slot, system));
    case 'complete slot':
      return orEmpty(step.slot, tools, () => writer.complete(step.slot));
    case 'write record':
      return writeRecord(step.record);
    case 'choose once':
      await writer.mark(step.slot);
      return loader.chooseOnce(step.slot);
    case 'forget once':
      return loader.revert();
    case 'set default':
      await loader.confirm(step.slot);
      // The next start with the mark would only start a watchdog that is stopped again.
      return writer
        .unmark(step.slot)
        .catch((error: unknown) =>
          log.warn({ error: faultFrom(error).message }, 'the mark of the trial is left'),
        );
    case 'load kernel':
      return load?.(await loader.loadForKexec(step.slot));
  }
}

async function orEmpty(
  slot: 'A' | 'B',
  { writer, log }: StepTools,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    // It is no boot entry in any case. The next upgrade removes what is left, and counts it as room.
    await writer
      .empty(slot)
      .catch((later: unknown) => log.warn({ slot, error: faultFrom(later).message }, 'a slot is not empty'));
    throw error;
  }
}
