import type { Bench } from './bench.ts';
import { type Finding, type FoundTool, type Judge, SubjectMissing } from './judge.ts';
import type { Row } from './row.ts';
import { type Tool, ToolMissing } from './tool.ts';
import { type ExpectedFinding, isAccepted, type Verdict, verdictOf } from './verdict.ts';

export interface AskJudgesInit {
  readonly judges: readonly Judge[];
  readonly expected: readonly ExpectedFinding[];
  readonly bench: Bench;
  /** Throws `ToolMissing` where the machine lacks it. */
  readonly findTool: (tool: Tool) => Promise<FoundTool>;
  /** Whether each one gets the subject that is broken on purpose, and must refuse it. */
  readonly isBroken: boolean;
  /** Whether a judge that cannot be found counts as failed. */
  readonly isStrict: boolean;
  /** `2026-11-29` */
  readonly date: string;
  readonly tell: (row: Row) => void;
}

/** Asks one judge after the other, so that none is slowed down by another. */
export async function askJudges(init: AskJudgesInit): Promise<Row[]> {
  const rows: Row[] = [];
  for (const judge of init.judges) {
    const row = await askJudge(judge, init);
    init.tell(row);
    rows.push(row);
  }
  return rows;
}

async function askJudge(judge: Judge, init: AskJudgesInit): Promise<Row> {
  const row = { name: judge.name, subject: judge.subject };
  let tool: FoundTool;
  try {
    tool = await init.findTool(judge.tool);
  } catch (error) {
    if (!(error instanceof ToolMissing)) throw error;
    const state = init.isStrict ? 'failed' : 'skipped';
    return { ...row, version: '', state, verdict: `not installed: ${error.message}`, findings: [] };
  }
  const judged = { ...row, version: tool.version, date: init.date };
  try {
    const findings = await judge.examine(init.bench, tool, init.isBroken);
    return {
      ...judged,
      ...(init.isBroken ? refusal : result)(verdictOf(judge.name, findings, init.expected)),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof SubjectMissing && !init.isStrict)
      return {
        ...row,
        version: tool.version,
        state: 'skipped',
        verdict: `no subject: ${message}`,
        findings: [],
      };
    return { ...judged, state: 'failed', verdict: 'no verdict', findings: [message] };
  }
}

const describe = ({ id, text }: Finding): string => (text ? `${id}: ${text}` : id);

function result(verdict: Verdict): Pick<Row, 'state' | 'verdict' | 'findings'> {
  const { accepted, fresh, stale } = verdict;
  if (isAccepted(verdict))
    return {
      state: 'passed',
      verdict: accepted.length === 0 ? 'accepted' : `accepted; expected findings: ${accepted.length}`,
      findings: accepted.map(({ findings, reason }) => `expected: ${findings.source}: ${reason}`),
    };
  return {
    state: 'failed',
    verdict: [
      ...(fresh.length > 0 ? [`${fresh.length} new findings`] : []),
      ...(stale.length > 0 ? [`${stale.length} expected findings are gone`] : []),
    ].join(', '),
    findings: [
      ...fresh.map(describe),
      ...stale.map(({ findings, reason }) => `expected, but not found: ${findings.source} (${reason})`),
    ],
  };
}

/** Only a finding that nobody expected refuses a subject. */
function refusal({ fresh }: Verdict): Pick<Row, 'state' | 'verdict' | 'findings'> {
  const [first] = fresh;
  if (first === undefined) return { state: 'failed', verdict: 'accepted the broken subject', findings: [] };
  const [line = ''] = describe(first).split('\n');
  return { state: 'passed', verdict: `refused the broken subject: ${line.slice(0, 80)}`, findings: [] };
}
