// The script of the HTTP reference in a browser: it searches, opens the entry that a link names, and sends operations. The key is read from
// its field for each request and stored nowhere.
'use strict';
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
const MOST_SHOWN = 100000;

one('.tools').hidden = false;
one('#origin').textContent = location.origin;

const search = one('#search');
const look = () => {
  const words = search.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const entries = all('details[data-text]');
  for (const entry of entries)
    entry.classList.toggle('away', !words.every((word) => entry.dataset.text.includes(word)));
  for (const group of all('.group')) {
    const within = all('details[data-text]', group);
    const isEmpty = within.every((entry) => entry.classList.contains('away'));
    group.classList.toggle('away', words.length > 0 && isEmpty);
  }
  const shown = entries.filter((entry) => !entry.classList.contains('away')).length;
  one('#found').textContent = words.length === 0 ? '' : shown === 0 ? 'Nothing matches.' : shown + ' found';
};
search.addEventListener('input', look);
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === 'Escape' && event.target === search && search.value !== '') {
    search.value = '';
    look();
  }
});

const openNamed = () => {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named === null) return;
  if (named.classList.contains('away')) {
    search.value = '';
    look();
  }
  if (named.tagName === 'DETAILS') named.open = true;
  named.scrollIntoView();
};
addEventListener('hashchange', openNamed);
openNamed();

const requestOf = (form) => {
  const headers = { authorization: 'Bearer ' + one('#key').value.trim() };
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const { name, value, dataset } of all('input[data-in]', form)) {
    if (value === '') continue;
    if (dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (dataset.in === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const body = one('textarea', form);
  if (body !== null) headers['content-type'] = body.dataset.media;
  const init = { method: form.dataset.method.toUpperCase(), headers, body: body?.value, cache: 'no-store' };
  return [path + (query.size === 0 ? '' : '?' + query), init];
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const readInto = async (answer, response) => {
  const decoder = new TextDecoder();
  let text = '';
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += decoder.decode(value, { stream: true });
    answer.textContent = text.slice(0, MOST_SHOWN);
    if (text.length > MOST_SHOWN) {
      answer.textContent += '\n… and more';
      return void (await reader.cancel());
    }
  }
  answer.textContent = pretty(text);
};

for (const form of all('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = one('output', form);
    const answer = one('.answer', form);
    const stop = one('.stop', form);
    output.className = 'wrong';
    if (one('#key').value.trim() === '') {
      output.textContent = 'Enter a key at the top of the page first.';
      return one('#key').focus();
    }
    const asked = new AbortController();
    const start = performance.now();
    stop.hidden = false;
    stop.addEventListener('click', () => asked.abort(), { signal: asked.signal });
    output.textContent = 'Sent …';
    try {
      const [address, init] = requestOf(form);
      const response = await fetch(address, { ...init, signal: asked.signal });
      output.className = response.ok ? '' : 'wrong';
      output.textContent = [response.status, response.statusText, Math.round(performance.now() - start) + ' ms'].join(
        ' ',
      );
      const tag = response.headers.get('etag');
      if (tag !== null) output.textContent += ' ETag ' + tag;
      answer.hidden = false;
      answer.textContent = '';
      await readInto(answer, response);
    } catch (error) {
      if (!asked.signal.aborted) output.textContent = 'The server cannot be reached: ' + error.message;
      else output.textContent += ' stopped';
    } finally {
      stop.hidden = true;
    }
  });
}
