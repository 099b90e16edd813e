import { wordSet } from './word-set.ts';

// What people have appointments, amounts and names for: "the launch", "the rent", "the plumber". Singular.
const AFFAIRS = wordSet(`
  launch release rollout relaunch go-live deadline meeting standup stand-up retro retrospective kickoff kick-off
  offsite call sync demo pilot sprint review workshop webinar training course class lesson rehearsal conference event
  party reception dinner lunch brunch breakfast wedding birthday anniversary funeral christening play concert camp
  trip holiday vacation flight train ferry shuttle transfer pickup pick-up drop-off handover move inspection audit
  visit viewing appointment checkup check-up surgery scan interview exam presentation hearing closing completion
  survey delivery shipment order invoice quote estimate budget rent deposit revenue turnover profit margin burn runway
  headcount payroll salary bonus fee rate price cost bill loan mortgage premium discount target forecast sale signup
  churn attendance contract lease renewal insurance warranty subscription membership licence license permit visa
  passport tenancy agreement offer notice retainer location premises unit wifi wi-fi network printer parking office
  studio shop store warehouse branch site venue room hall kitchen bathroom roof boiler heating alarm gate garage
  garden house flat apartment cottage plot car van landlord landlady tenant neighbour neighbor plumber electrician
  builder contractor architect gardener cleaner caretaker accountant bookkeeper lawyer solicitor notary broker dentist
  doctor gp vet physio midwife nanny babysitter childminder teacher headteacher headmaster tutor coach trainer manager
  boss supervisor director ceo cto cfo founder investor board supplier vendor wholesaler distributor manufacturer
  client customer contact photographer caterer florist band dj team crew staff opening reopening hours timetable
  schedule shift rota payday newsletter podcast campaign project product feature website domain server
  wall floor ceiling door window fence paint tile carpet curtain lock key meter fuse pump tap skip scaffolding socket
  serial extension code term semester school nursery bin recycling market stall fair exhibition tour practice fitting
  tasting wages tax vat return filing pension grant funding round raise stake equity valuation pupil member guest seat
  hotel hostel electricity utility broadband internet tuition interest landline address ticket booking reservation company agency firm courier carrier cleaning service maintenance repair refit renovation
  mock test quiz assignment coursework dissertation thesis paper manuscript viva defence gig recital match tournament race
  marathon club session seminar lecture tutorial audition graduation prom placement internship scholarship bursary stipend
  mot vaccination jab injection operation biopsy mri x-ray therapy prescription trial album exhibition move-in move-out`);

const NO_SINGULAR = /(?:ss|us|is)$/;

/** Whether a noun, in either number, is of somebody's own affairs. */
export function isAffair(noun: string): boolean {
  const lower = noun.toLowerCase();
  if (AFFAIRS.has(lower)) return true;
  if (!lower.endsWith('s') || NO_SINGULAR.test(lower)) return false;
  return (
    AFFAIRS.has(lower.slice(0, -1)) || AFFAIRS.has(lower.replace(/ies$/, 'y')) || AFFAIRS.has(lower.replace(/es$/, ''))
  );
}
