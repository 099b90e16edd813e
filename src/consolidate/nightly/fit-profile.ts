import { withoutEnd } from '../../language/without-end.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { countWords } from '../../record/block.ts';
import { PROFILE_SECTIONS, type ProfileSection } from '../../record/memory-types.ts';
import { cutWords } from '../cut-words.ts';

/** The sections of a profile by their headings; what stands under no heading of ours belongs to the notes. */
export function readSections(profile: string): Record<ProfileSection, string> {
  const sections = Object.fromEntries(PROFILE_SECTIONS.map((name) => [name, ''])) as Record<ProfileSection, string>;
  let current: ProfileSection = 'Notes';
  for (const line of profile.split('\n')) {
    const heading = /^#{1,4}\s/.test(line) ? withoutEnd(line.replace(/^#{1,4}/, ''), '#').trim() : undefined;
    if (heading === undefined) sections[current] += `${line}\n`;
    else current = PROFILE_SECTIONS.find((name) => plain(name) === plain(heading)) ?? 'Notes';
  }
  return Object.fromEntries(PROFILE_SECTIONS.map((name) => [name, sections[name].trim()])) as Record<
    ProfileSection,
    string
  >;
}

function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\band\b|&/g, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}

/** A profile of six sections. The longest ones lose their last sentences until the whole is within the limit. */
export function fitProfile(profile: string, limit: number): string {
  if (!/^#{1,4}\s/m.test(profile)) return cutWords(profile, limit);
  const sections = readSections(profile);
  // First what can never fit: taken off a sentence at a time, a profile of a megabyte would keep the process busy for minutes.
  for (const name of PROFILE_SECTIONS) sections[name] = cutWords(sections[name], limit);
  for (;;) {
    const text = writeSections(sections);
    if (countWords(text) <= limit) return text;
    const [longest = 'Notes'] = PROFILE_SECTIONS.toSorted(
      (one, other) => countWords(sections[other]) - countWords(sections[one]),
    );
    const body = sections[longest];
    const last = splitSentences(body).at(-1);
    const shorter =
      last === undefined || last.span.start === 0 ? '' : withoutEnd(body.slice(0, last.span.start), ' \t\n-*•');
    // A section that is one endless sentence is cut in the middle of it.
    sections[longest] =
      shorter === '' && countWords(body) > 20 ? cutWords(body, Math.floor(countWords(body) / 2)) : shorter;
  }
}

export function writeSections(sections: Record<ProfileSection, string>): string {
  return PROFILE_SECTIONS.map((name) => `## ${name}\n${sections[name]}`.trim()).join('\n\n');
}
