// What each node of a roll-out does, as the line that the plan keeps: people read it, and a driver reads it back.

/** The system that all nodes get. */
export interface WantedSystem {
  /** The artefact with its digest. */
  readonly image: string;
  readonly allowsDowngrade: boolean;
  readonly dropsExtensions: boolean;
}

const flags = {
  allowsDowngrade: ', also from a newer version',
  dropsExtensions: ', without extensions',
} as const;

const form = /^upgrade to ([^\s,]{1,2000})(, also from a newer version)?(, without extensions)?$/;

export const rolloutAction = ({ image, allowsDowngrade, dropsExtensions }: WantedSystem): string =>
  `upgrade to ${image}${allowsDowngrade ? flags.allowsDowngrade : ''}${dropsExtensions ? flags.dropsExtensions : ''}`;

/** The system that the line of a plan names; undefined for a line that `rolloutAction()` does not write. */
export function systemOfAction(action: string): WantedSystem | undefined {
  const [, image, allows, drops] = form.exec(action) ?? [];
  if (image === undefined) return undefined;
  return { image, allowsDowngrade: allows !== undefined, dropsExtensions: drops !== undefined };
}

/** Whether an image can be named in a plan: no white space, no comma, no control characters. */
export const isPlannableImage = (image: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
  /^[^\s,\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,2000}$/u.test(image);
