import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take far longer than their size suggests, the longest first. Without the times of an earlier run, as in CI, Vitest begins with
 * the largest files. One of these files would then come last, and the other workers would wait for it.
 */
const LONG = [
  'test/spoken-requests.test.ts',
  'test/attacks/bridging.test.ts',
  'test/inspector-server.test.ts',
  'test/form-plain-changes.test.ts',
  'test/form-others-words.test.ts',
  'test/server-tenants.test.ts',
  'test/server-openapi.test.ts',
  'test/docs.test.ts',
  'test/attacks/tool-trust.test.ts',
  'test/forgotten-records.test.ts',
  'src/jobs/fair-turns.test.ts',
  'test/attacks/erased-words.test.ts',
  'test/form-outage.test.ts',
  'test/attacks/loops.test.ts',
  'test/server-hostile.test.ts',
  'test/history.property.test.ts',
  'src/form/read/local/forget-wordings.test.ts',
  'test/tool-requests.test.ts',
  'test/python-client.test.ts',
  'test/pgbouncer.test.ts',
  'test/online-metrics-doors.test.ts',
  'test/opentelemetry.test.ts',
];

/** The order in which the files of a run begin. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? LONG.length : rank;
    };
    return (await super.sort(files)).toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}
