/**
 * Gives each cell of a table, except those of the first column, the heading of its column as `data-label`. On a phone the style sheet shows
 * the cells below each other, and a cell such as "yes" means nothing without the heading.
 */
export function labelCells(page: string): string {
  return page.replaceAll(/<table>[^]*?<\/table>/g, (table) => {
    const headings = [...table.matchAll(/<th\b[^>]*>([^]*?)<\/th>/g)].map(([, html = '']) => textOf(html));
    return table.replaceAll(/<tr\b[^>]*>[^]*?<\/tr>/g, (row) => {
      let column = 0;
      return row.replaceAll('<td', (cell) => {
        const heading = column === 0 ? '' : (headings[column] ?? '');
        column += 1;
        return heading === '' ? cell : `${cell} data-label="${heading}"`;
      });
    });
  });
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('"', '&quot;')
    .trim();
