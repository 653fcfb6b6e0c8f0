"""Words and phrases of our own, where WordNet's most frequent sense is none or a wrong one."""

from __future__ import annotations


def _pairs(text: str) -> dict[str, tuple[str, ...]]:
    """Parse words with their synonyms.

    >>> _pairs("allow:permit/enable ask:request")
    {'allow': ('permit', 'enable'), 'ask': ('request',)}
    """
    pairs = (pair.split(":") for pair in text.split())
    return {word: tuple(synonyms.split("/")) for word, synonyms in pairs}


FUNCTION_WORDS = frozenset(
    """
    a about above across after again against all almost along already also although am among an and
    another any anybody anyone anything are around as at away back be because been before behind
    being below between both but by can cannot could did do does doing done down during each either
    else enough etc even ever every everybody everyone everything except few first for from further
    had has have having he her here hers herself him himself his how however i if in indeed inside
    instead into is it its itself just last least less let like many may me might mine more most
    much must my myself neither never next no nobody none nor not nothing now of off often on once
    one only onto or other others otherwise ought our ours ourselves out outside over own per
    perhaps quite rather really same second shall she should since so some somebody someone
    something soon still such than that the their theirs them themselves then there therefore these
    they third this those though three through throughout thus to together too toward towards two
    under unless until up upon us very via was we well were what whatever when whenever where
    whether which while who whole whom whose why will with within without would yes yet you your
    yours yourself yourselves
    """.split()
)

# terms of computing and of documents, whose most frequent sense is another, and words that only
# seem to have a synonym
KEPT = frozenset(
    """
    able access account actual addition address administration administrator adopt agreeable alone
    appliance apply approve aptitude architect archive argument article ask assign associate
    authentication author authorization automatic background backup base bash become behavior best
    better bit block board body boot box branch browse browser buffer bug build bus button byte
    caliber call campaign card care carry case cat catalog central channel chapter character charge
    child chunk class client clock cluster code collection column come command comment commercial
    commit communication compile complex component comprehension computer concern condition
    configuration confirm connection consequently console contact container content contribute
    control controller copy core course cover crash criterion critical currently cursor daemon data
    database date day deal debian dedicated default dependency derivative design designer desktop
    despatch despite destination detail developer device differ digit directory disable disabled
    disk dispatch display disregard distribution do document documentation domain download dozen
    drive driver due duration ease easy edge edit editor effect effort element emphasis encryption
    end endeavor enter entering entry environment error essential even event exact example
    executable execution exist existence exit explicit explore export express extension face
    facilitate facility fact fail fake family far feature few field fighting figure file filter
    financial fine firewall firmware fit flag folder folk folks font food form format former free
    freedom freeze friend fully function future gateway general generation get give given go going
    good graphic great group grub guarantee guide guy hand handbook hands hardware hash head header
    hence hide hole home hope host hour however icon ignore image implement implied include
    inclusion independent index individual individually input install installation installer
    instance integration integrity interactive interest interface introduce involve issue item job
    journey kernel key keyboard kind language late later layer layout lead leading left letter level
    library license life light like likely line link list loader log login long look loop lot lyric
    machine mail major make manager manpower manual map mark marked market marketing mask master
    matter mean meaning means mechanism media member memory menu message mind minute mode model
    module moment month moreover mount mouse move multitude name naturally network nevertheless
    newly news nice night node note notification nowadays number numerous object objective office
    older one open operate operating operation opinion option order original output owner pack
    package packaging packet page panel parameter part partition party password past patch path
    pattern people permission person philosophy piece pipe place plain platform play please plenty
    plug plus point policy pool popular port power present press previous print printer process
    processor product program prompt proof proper property proprietary protocol public put quality
    query queue quote raid range read real record reduction reference regarding regular release rely
    remote replacement report repository represent request research resolution resource respective
    result return reward right risk role root round router row rule run sample save schedule scheme
    scope screen script search section sector secure securing security see separate sequence serve
    server service session set setting setup shadow share sheet shell short signal signature single
    site size sleep slot slow snippet socket software solution sort sound source space speak sport
    stable stack standard startup state static stick sticky storage store strategy stream string
    structure subject suite support sure surely swap switch symbol sync system tab table tag take
    tar target task team technical technique technology template tendency term terminal terms test
    text thank then theory therefore thing thread thus time title token tool topic track traffic
    transaction transition translate treat tree trigger tunnel turn twice type unit unknown upgrade
    user utility value variable version view virus visual volume wall warning way web well window
    wired wireless wizard word words work world worth write year zero
    """.split()
)

NOUNS = _pairs("""
ability:capability administrator:operator advantage:benefit aim:goal amount:quantity answer:reply
application:program approach:method area:region assistance:help behavior:conduct benefit:advantage
book:volume bug:defect case:instance cause:reason choice:selection command:instruction company:firm
computer:machine configuration:setup connection:link consequence:effect contributor:helper
creation:production decision:choice detail:particular developer:programmer development:progress
difference:distinction difficulty:problem directory:folder effort:endeavour element:component
error:fault explanation:clarification feature:characteristic function:role goal:objective
help:assistance idea:notion information:details installation:setup job:task kind:sort lack:absence
location:place machine:computer maintainer:caretaker manner:fashion mechanism:device
member:participant method:technique mistake:error modification:alteration need:requirement
network:net opportunity:chance option:choice outcome:result package:bundle part:portion
permission:authorization person:individual possibility:option problem:difficulty process:procedure
program:application project:undertaking provider:supplier purpose:goal quality:standard
question:query reason:motive release:edition requirement:need right:privilege risk:danger
rule:guideline security:safety server:host service:facility situation:circumstance solution:answer
start:beginning step:stage support:assistance system:platform task:job team:crew tool:utility
update:refresh user:person version:edition way:manner website:site
""")

VERBS = _pairs("""
access:reach achieve:accomplish/attain add:append adjust:adapt allow:permit answer:reply
appear:emerge apply:employ assign:allot associate:connect assume:presume avoid:evade build:construct
call:name change:alter/modify check:verify choose:select compile:assemble complete:finish
configure:adjust connect:link consider:regard contain:include contribute:donate copy:duplicate
correct:fix create:generate/produce decide:determine define:specify delete:remove deploy:install
describe:explain design:devise determine:establish develop:create disable:deactivate discover:detect
display:exhibit distribute:spread document:describe download:fetch enable:activate ensure:guarantee
establish:create examine:inspect execute:perform explain:describe find:locate/discover
finish:complete fix:repair follow:observe generate:produce grant:accord guarantee:ensure
handle:manage happen:occur help:assist identify:recognize implement:realize improve:enhance
include:comprise indicate:signal introduce:present involve:entail keep:retain/preserve launch:start
learn:discover limit:restrict list:enumerate load:fetch maintain:preserve manage:handle mention:note
modify:alter move:shift name:call need:require obtain:acquire offer:supply operate:function
permit:allow pick:select prefer:favour prevent:stop produce:generate protect:guard
provide:supply/offer publish:issue receive:obtain recommend:suggest reduce:lower remain:stay
remove:delete/eliminate repair:fix replace:supersede represent:depict require:need/demand
restrict:limit retrieve:fetch run:execute secure:protect select:choose send:transmit
share:distribute show:display simplify:ease solve:resolve specify:state start:begin/commence
stop:halt store:save suggest:propose supply:provide transfer:move try:attempt update:refresh
upgrade:update use:employ/utilize verify:check view:inspect want:desire work:function
""")

ADJECTIVES = _pairs("""
accessible:reachable additional:extra appropriate:suitable automatic:automated available:obtainable
basic:elementary best:finest better:superior big:large certain:particular common:widespread
complete:full complex:complicated complicated:complex convenient:handy correct:right
corresponding:matching critical:crucial current:present dedicated:devoted different:distinct
difficult:hard easy:simple essential:vital excellent:outstanding existing:present explicit:express
external:outside fast:quick following:subsequent frequent:common full:complete general:overall
good:fine hard:difficult huge:enormous important:significant individual:single initial:first
interesting:intriguing internal:inner large:big latest:newest long:lengthy main:principal
major:principal minimal:smallest modern:contemporary necessary:required new:fresh official:formal
original:first particular:specific popular:favoured possible:feasible powerful:strong
practical:handy previous:earlier proper:right quick:fast rare:uncommon recent:new related:associated
relevant:pertinent reliable:dependable short:brief similar:comparable simple:easy single:sole
small:little special:particular specific:particular standard:normal sufficient:enough
suitable:fitting traditional:conventional typical:characteristic useful:helpful usual:customary
various:diverse whole:entire
""")

ADVERBS = _pairs("""
actually:really afterwards:later always:invariably automatically:independently carefully:cautiously
completely:entirely currently:presently directly:straight easily:readily especially:particularly
exactly:precisely finally:lastly frequently:often generally:usually immediately:instantly
mainly:chiefly mostly:mainly nearly:almost particularly:especially possibly:perhaps
previously:earlier properly:correctly quickly:rapidly rarely:seldom simply:merely
sometimes:occasionally usually:normally widely:broadly
""")

OWN = {
    (word, part): synonyms
    for part, words in {"n": NOUNS, "v": VERBS, "a": ADJECTIVES, "r": ADVERBS}.items()
    for word, synonyms in words.items()
}

PHRASES = {
    "a great many": "very many",
    "a lot of": "a great deal of",
    "able to": "in a position to",
    "according to": "in accordance with",
    "as well as": "and also",
    "at the same time": "simultaneously",
    "due to": "because of",
    "even though": "although",
    "for example": "for instance",
    "for instance": "for example",
    "however": "nevertheless",
    "in addition": "moreover",
    "in fact": "as a matter of fact",
    "in order to": "so as to",
    "in particular": "above all",
    "in this case": "then",
    "instead of": "rather than",
    "is able to": "can",
    "it is possible to": "one can",
    "make it possible to": "allow one to",
    "make sure": "ensure",
    "many of": "a lot of",
    "many": "numerous",
    "most of the time": "usually",
    "of course": "naturally",
    "on the other hand": "by contrast",
    "several": "a number of",
    "so that": "in order that",
    "such as": "like",
    "take advantage of": "benefit from",
    "takes advantage of": "benefits from",
    "thanks to": "owing to",
    "that is why": "this is the reason why",
    "therefore": "consequently",
    "thus": "hence",
    "whenever": "every time",
}
