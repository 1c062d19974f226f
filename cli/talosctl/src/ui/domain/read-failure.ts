import type { ControllerFailure } from '../protocol/messages.ts';

const longestText = 2000;

/**
 * Reads a line of the log of machined that says that a controller failed. @returns undefined for every other line
 */
export function readFailure(line: string): ControllerFailure | undefined {
  // Most lines are about something else, and JSON takes time.
  if (!line.includes('"controller failed"')) return undefined;
  try {
    const { msg, controller, error, retryMs, time } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const atMs = typeof time === 'string' ? Date.parse(time) : Number(time);
    if (msg !== 'controller failed' || typeof controller !== 'string' || Number.isNaN(atMs)) return undefined;
    return {
      ...{ controller: controller.slice(0, longestText), message: String(error).slice(0, longestText), atMs },
      retryMs: typeof retryMs === 'number' ? retryMs : 0,
    };
  } catch {
    return undefined;
  }
}
