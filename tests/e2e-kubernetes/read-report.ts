// What Ginkgo writes about a run. Source: Ginkgo: JSON report.

/** How a case ended. */
export interface CaseResult {
  readonly name: string;
  readonly state: 'passed' | 'failed';
  readonly seconds: number;
  /** First lines of the failure. */
  readonly reason?: string;
  /** Why it failed in an earlier run. */
  readonly failedBefore?: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: {
    readonly Message?: string;
    readonly Location?: { readonly FileName?: string; readonly LineNumber?: number };
  };
}

export interface Report {
  readonly results: readonly CaseResult[];
  /** Failures of what runs before and after all cases. */
  readonly suiteFailures: readonly string[];
}

/** States of cases that began and ended. The others were skipped, or the run was interrupted. */
const states: Readonly<Record<string, CaseResult['state']>> = {
  passed: 'passed',
  failed: 'failed',
  panicked: 'failed',
  // The time limit of the case itself: this program interrupts a run, so the suite has none.
  timedout: 'failed',
};

/** @throws Error of one line when the text is not a report */
export function readReport(text: string): Report {
  const specs = parseSpecs(text);
  const isCase = ({ LeafNodeType }: SpecReport) => LeafNodeType === 'It';
  return {
    results: specs.filter(isCase).flatMap((spec) => {
      const state = states[spec.State];
      if (state === undefined) return [];
      const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');
      const result = { name, state, seconds: Math.round(spec.RunTime / 1e8) / 10 };
      return [state === 'failed' ? { ...result, reason: reasonOf(spec) } : result];
    }),
    suiteFailures: specs
      .filter((spec) => !isCase(spec) && states[spec.State] === 'failed')
      .map((spec) => `${spec.LeafNodeType}: ${reasonOf(spec)}`),
  };
}

function parseSpecs(text: string): readonly SpecReport[] {
  try {
    const suites = JSON.parse(text) as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
    return suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  } catch (error) {
    throw new Error(`the report of Ginkgo cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const reasonCharacters = 600;

function reasonOf({ Failure }: SpecReport): string {
  const message = (Failure?.Message ?? 'no message').replaceAll(/\s*\n\s*/g, ' | ').trim();
  const short = message.length > reasonCharacters ? `${message.slice(0, reasonCharacters)}…` : message;
  const { FileName: file, LineNumber: line } = Failure?.Location ?? {};
  return file === undefined ? short : `${short} (${file.replace(/^.*\/test\/e2e\//, '')}:${line})`;
}
