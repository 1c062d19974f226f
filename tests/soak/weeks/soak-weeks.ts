// A virtual week of what runs for weeks on a node: as many passes as a week has, without the time between them, and what
// stays behind each. `SHARE=` of the week, default 1, which takes about an hour. Ends with 1 when anything stays.
import { isFlat, measureSubject } from './measure-subject.ts';
import { subjects } from './subjects.ts';

/** `bytesPerPass()` repeats its passes: half as a warm-up, and three times. */
const repetitions = 3.5;
/** A slope is the same after more passes, and a week of looks at a log, six million, would take hours. */
const mostPasses = 60_000;
const share = Number(process.env.SHARE || 1);
if (!(share > 0)) throw new Error(`SHARE=${process.env.SHARE} is no share of a week`);

let isAllFlat = true;
for (const subject of subjects) {
  const wanted = Math.ceil((subject.passesPerWeek * share) / repetitions);
  const passes = Math.min(mostPasses, Math.max(500, wanted));
  const slope = await measureSubject(subject, passes);
  const isGood = isFlat(slope);
  isAllFlat &&= isGood;
  const { bytesPerPass, listeners, timers, descriptors, name } = slope;
  console.log(
    `${isGood ? 'ok' : 'not ok'}  ${name}: ${bytesPerPass.toFixed(1)} bytes per pass, ` +
      `${listeners} listeners, ${timers} timers and ${descriptors} descriptors more after ${Math.round(passes * repetitions)} passes`,
  );
}
process.exitCode = isAllFlat ? 0 : 1;
