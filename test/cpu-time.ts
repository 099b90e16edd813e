/** Milliseconds of processor time that some work takes: unlike the clock's, they do not grow when the machine is busy. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
