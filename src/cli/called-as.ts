/** How this program is called here: in a checkout by its script, else by its name. */
export function calledAs(): string {
  return process.argv[1]?.endsWith('.ts') === true ? 'npm run -s varve --' : 'varve';
}
