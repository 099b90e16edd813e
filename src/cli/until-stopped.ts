/** Resolves with the signal that asks this process to stop. A second one ends it at once. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      asked += 1;
      if (asked > 1) process.exit(1);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
