import { terminalText, wrapText } from '../../output/terminal-text.ts';
import type { NodeModel } from '../model/model.ts';
import { type Frame, line, span } from '../screen/frame.ts';
import { clockText, durationText } from './figures.ts';

/** Shown instead of a node that does not answer: the reason, the hop that failed, and since when. */
export function awayView({ name, reach, sample }: NodeModel, width: number, now: Date): Frame {
  if (reach.kind !== 'away') return ['', ` waiting for ${name} ...`].map((text) => line(span(text, 'dim')));
  const since = durationText((now.getTime() - reach.sinceMs) / 1000);
  const last =
    sample === undefined
      ? 'It has not answered since the dashboard was started.'
      : `Its last answer came at ${clockText(new Date(sample.atMs))} UTC.`;
  const rows = [
    ...wrapText(terminalText(reach.message), width - 4).map((text) => line('  ', span(text, 'bad'))),
    line(),
    ...(reach.hop === undefined ? [] : [line('  where: ', span(reach.hop, 'title'))]),
    line(`  ${last} It is asked again until it does.`),
  ];
  return [line(), line(' ', span(`${name} is away`, 'title'), span(` for ${since}`, 'dim')), line(), ...rows];
}
