/**
 * Whether somebody asks for a human, in English. Said outright it is always heard; a question
 * about humans ("is a human reviewing my claim?") is none, and neither is a refusal of one.
 */
export function wantsHuman(text: string): boolean {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.!?;\n]+|,(?= )/)
    .map((clause) =>
      clause
        .replaceAll(/[^\p{L}\p{N}' -]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .some((clause) => !REFUSALS.test(clause) && REQUESTS.some((request) => request.test(clause)));
}

const WHO = `(?:human(?: being)?|person|agent|representative|rep|operator|advisor|adviser|
  manager|supervisor|colleague|employee|staff(?: member)?|specialist|consultant|someone|somebody|
  people|humans|support (?:agent|person|team|staff)|customer (?:service|support|care)|
  service (?:agent|desk)|call cent(?:er|re)|team member|member of (?:the |your )?(?:staff|team))s?`;
const WHICH = `(?:(?:a|an|any|the|some|your|another|one of your)\\s+)?
  (?:(?:real|actual|live|human|proper|different|other)\\s+){0,2}`;
const SOMEBODY = `${WHICH}${WHO}`;
/** A word that nobody uses for a program, alone. */
const SURELY_HUMAN = `${WHICH}(?:human(?: being)?|(?:real|actual|live) (?:person|agent|one|someone|somebody)|
  person|operator|representative|rep|human (?:agent|operator)|supervisor|manager)`;

const REFUSALS = pattern(
  `\\b(?:don't|do not|no need|not|never|rather not|without)\\b.{0,30}\\b(?:human|person|agent|
   representative|operator|someone|somebody|anyone|people)\\b`,
);

const REQUESTS = [
  // "(Can I) speak to someone", "let me talk to a person", "how do I get through to a human".
  `^(?!(?:do|does|did|why|when|what|will|should|must|have|if)\\b|(?:is|are)(?! it possible| there)\\b)
   (?!.*\\b(?:was|were|after|before|when|if|after|had)\\b)
   .*\\b(?:speak|talk|chat|speaking|talking|get through|get in touch)\\s+(?:to|with)\\s+${SOMEBODY}\\b`,
  `\\b(?:connect|transfer|put|forward|hand|pass|switch|escalate|route)\\s+(?:me|us|this|it)\\s+
   (?:(?:through|over|on|up|directly|straight)\\s+)*(?:to|with|onto)\\s+${SOMEBODY}\\b`,
  `^(?:please |can you |could you |just |now |ok |okay )*(?:get|give|find|fetch|send) me ${SOMEBODY}\\b`,
  `\\bi(?:'d| would)? (?:really |just )?(?:want|need|like|demand|prefer|require)(?: to have| to see| to reach)?\\s+
   ${SURELY_HUMAN}(?: (?:please|now|instead|here|to (?:help|take over|deal|call|answer|look).*))?$`,
  `^(?:how )?(?:can|could|may|do) (?:i|we) (?:please )?(?:have|get|reach|see|get hold of) ${SURELY_HUMAN}$`,
  `\\b(?:let|have|get|ask) ${SOMEBODY} (?:to )?(?:call|contact|help|take over|ring)\\b(?: me| this| us)?`,
  `^(?:is|are) there (?:anyone|anybody)(?: else)?(?: (?:that|who))? i (?:can|could) (?:talk|speak|chat) (?:to|with)`,
  `^(?:is|are) there ${SOMEBODY} (?:there|here|available|(?:that |who )?i (?:can|could) (?:talk|speak|chat) (?:to|with))`,
  `\\btake (?:this|it|me) over to ${SOMEBODY}\\b`,
  `^(?:please |a |the |just |only )*(?:real |live |actual )?(?:human|person|agent|operator|representative|
   human being|humans|manager|supervisor)(?: please| now)*$`,
  `^(?:hand ?over|escalate|escalation|transfer(?: me)?)(?: please| now)?$`,
].map(pattern);

/** Written over several lines to be read; a line break is nothing. */
function pattern(source: string): RegExp {
  return new RegExp(source.replaceAll(/\n\s*/g, ''), 'u');
}
