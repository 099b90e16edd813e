import { VarveError } from '../errors.ts';

/** The result of work, or `timed_out`. The work itself goes on unheard. */
export async function withinTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new VarveError(`No answer within ${milliseconds} ms.`, { code: 'timed_out', retryable: true })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
