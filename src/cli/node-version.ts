/** What `engines` in package.json says, for those who install without heeding it. */
export const NODE_NEEDED = '22.13';

/** Whether this Node has what Varve needs, SQLite above all. */
export function isNodeNewEnough(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NODE_NEEDED.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}
