"""Languages: stop words, negations and stemmers, and detection of the language of a text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NEGATIONS = {
    code: frozenset(words(text))
    for code, text in {
        "en": "not no never without nor none cannot",
        "de": "nicht nichts nie niemals ohne kein keine keinen keinem keiner keines weder",
        "fr": "ne n pas jamais sans aucun aucune ni non",
        "es": "no nunca jamás sin ni ninguno ninguna ningún tampoco",
        "it": "non no mai senza né nessun nessuno nessuna neanche",
        "pt": "não nunca jamais sem nem nenhum nenhuma tampouco",
        "ca": "no mai sense ni cap tampoc",
        "ro": "nu niciodată fără nici niciun nicio",
        "nl": "niet geen nooit zonder noch",
        "sv": "inte ej icke aldrig utan ingen inget inga varken",
        "da": "ikke ej aldrig uden ingen intet hverken",
        "no": "ikke ikkje aldri uten ingen intet ingenting verken",
        "fi": "ei en et emme ette eivät eikä älä ilman",
        "hu": "nem ne sem se soha nincs nincsenek nélkül",
        "ru": "не нет ни никогда без нельзя",
        "uk": "не ні ані ніколи без немає",
        "pl": "nie ani nigdy bez żaden żadna żadne",
        "cs": "ne není nejsou nikdy bez ani nebyl nebyla nebylo žádný žádná žádné",
        "tr": "değil yok asla hiç hayır ne",
        "el": "δεν δε μην μη όχι ποτέ χωρίς ούτε",
        "ar": "لا لم لن ليس ليست ما بدون غير دون",
    }.items()
}
"""Words that negate a sentence; they are stop words too."""

NEGATED_VERBS = frozenset(
    """
    ain aren can couldn daren didn doesn don hadn hasn haven isn mayn mightn mustn needn oughtn
    shan shouldn wasn weren won wouldn
    """.split()
)
"""What comes before the "t" of "don't"."""
NEGATING_ENDS = frozenset("t")

STOP_WORDS = {
    code: frozenset(words(text)) | NEGATIONS[code]
    for code, text in {
        "en": """
            a about above after again against ain all am an and any are aren as at be because been
            before being below between both but by can could couldn d did didn do does doesn doing
            don down during each few for from further had hadn has hasn have haven having he her
            here hers herself him himself his how i if in into is isn it its itself just ll m me
            mightn more most mustn my myself needn now of off on once only or other our ours
            ourselves out over own re s same shan she should shouldn so some such t than that the
            their theirs them themselves then there these they this those through to too under until
            up ve very was wasn we were weren what when where which while who whom why will with
            would wouldn you your yours yourself yourselves
            """,
        "de": """
            aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim
            bin bis bist da damit dann das dass daß dein deine dem den denn der des dich die dies
            diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer
            eines einige er es etwas euch euer für gegen gewesen hab habe haben hat hatte hatten
            hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede
            jedem jeden jeder jedes jetzt kann können könnte machen man manche mein meine mich mir
            mit muss müssen nach noch nun nur ob oder sehr sein seine seinem seinen seiner seit sich
            sie sind so solche soll sollte sondern sonst über um und uns unser unsere unter viel vom
            von vor während war waren was weil welche welcher wenn werde werden wie wieder will wir
            wird wirst wo wollen wurde wurden würde würden zu zum zur zwar zwischen
            """,
        "fr": """
            à ai aie as au aussi aux avaient avait avant avec avez avoir avons c ce ceci cela ces
            cet cette ceux chez comme comment d dans de des donc dont du elle elles en encore entre
            es est et étaient était été êtes être eu eux fait faut furent fut il ils j je l la le
            les leur leurs lui m ma mais me même mes moi mon nos notre nous on ont ou où par parce
            peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui s sa se sera
            serait ses si soi soit sommes son sont sous sur suis t ta te tes toi ton tous tout toute
            toutes très tu un une vers vos votre vous y
            """,
        "es": """
            a al algo algunas algunos ante antes aquel aquella así aún aunque cada como con contra
            cual cuál cuando cuándo de del desde donde dónde durante e el él ella ellas ellos en
            entre era eran eres es esa esas ese eso esos esta está estaba estado estamos están estar
            estas este esto estos estoy fue fueron fui ha había habían hace han has hasta hay he la
            las le les lo los más me mi mí mientras mis mucho muchos muy nada nos nosotros nuestra
            nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque pues que
            qué quien quién quienes se sea ser será si sí sido siempre sino sobre somos son soy su
            sus también tanto te ti tiene tienen toda todas todo todos tu tú tus un una unas uno
            unos usted ustedes vosotros y ya yo
            """,
        "it": """
            a abbia abbiamo ad agli ai al all alla alle allo altri altro anche ancora avere aveva
            avevano c che chi ci ciò coi col come con contro cosa così cui d da dagli dai dal dall
            dalla dalle dallo degli dei del dell della delle dello di dopo dov dove e è ed era erano
            essere faccia fu fanno fare fra gli ha hai hanno ho i il in io l la le lei li lo loro
            lui ma me mi mia mie miei mio molto ne negli nei nel nell nella nelle nello noi nostra
            nostri nostro o ogni per perché più poi prima può qual quale quali quando quanto quell
            quella quelle quelli quello questa queste questi questo qui s sarà se sei si sia siamo
            siete solo sono sta stata stati stato su sua sue sugli sui sul sull sulla sulle suo suoi
            tra tu tua tue tuo tuoi tutti tutto un una uno vi voi vostra vostro
            """,
        "pt": """
            a à ainda algo algumas alguns antes ao aos após aquela aquele aqueles aquilo as às até
            cada com como contra da das de dela delas dele deles depois desde do dos durante e é ela
            elas ele eles em entre era eram és essa essas esse esses esta está estamos estão estar
            estas estava estavam este estes estou eu foi fomos for foram há havia isso isto já lá
            lhe lhes mais mas me mesmo meu meus minha minhas muito na nas no nos nós nossa nossas
            nosso nossos num numa o onde os ou outra outras outro outros para pela pelas pelo pelos
            pode pois por porque qual quando que quem são se seja sempre ser será seu seus si sido
            só sob sobre sua suas também te tem têm tenho ter teu teve tinha toda todas todo todos
            tu tua tudo um uma umas uns você vocês vos
            """,
        "ca": """
            a abans això al algun alguna alguns allò als amb aquell aquella aquells aquest aquesta
            aquestes aquests així bé cada com d de del dels des després doncs dos e el ell ella
            elles ells els em en encara entre era eren eres és es està estan estar et fa fer fins
            fou ha han has havia he hem hi ho i ja jo l la les li llavors lo los m ma mateix me
            mentre més meu meus meva molt molta molts n na nosaltres nostra nostre o on pel pels per
            perquè però poc pot qual quan que què qui s sa se ser serà seu seus seva seves si sí
            sobre sóc solament són sota sou també t te té tenen tot tota totes tots tu un una unes
            uns va van vaig vosaltres vostra vostre
            """,
        "ro": """
            a acea această aceasta aceste acest acesta acestea aceștia acolo acum ai aici al ale alt
            alta alte alții am ar are aș așa asta astfel asupra atât atunci au avea avem aveți că ca
            când care cărei către ce cea cei cel cele chiar ci cine cu cum da dacă dar de deci decât
            deja deși despre din dintre doar după e ea ei el ele era erau este eu fi fie fiecare
            fiind fost i ia iar îi îl îmi în înainte încă între își îți l la le li lor lui m mă mai
            mult multe mulți ne noastră noi noștri nostru o ori pe pentru peste poate prin s să sa
            sale sau său se și sub sunt suntem ta tău te toate tot toți tu un una unde unei unele
            unii unor unui v va vă voi vor vostru
            """,
        "nl": """
            aan al alle alles als altijd andere ben bij daar dan dat de der deze die dit doch doen
            door dus een eens en er ge had hadden heb hebben heeft hem het hier hij hoe hun iets ik
            in is ja je jij jouw jullie kan kon kunnen maar me meer men met mij mijn moet moeten na
            naar niemand nog nu of om omdat onder ons onze ook op over reeds s t te tegen tijdens
            toch toen tot tussen u uit uw van veel voor waar want waren was wat we welke werd werden
            wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou zouden
            """,
        "sv": """
            alla allt att av blev bli blir blivit både dem den denna deras dess dessa det detta dig
            din dina ditt du där då efter eller en ett från för ha hade han hans har henne hennes
            hon honom hur här i icke in inom jag ju kan kom kommer kunde man med mellan men mer mig
            min mina mitt mot mycket måste ni nu när någon något några och också om oss på samma
            sedan sig sin sina sitt själv ska skall skulle som så sådan till under upp ut vad var
            vara varit vem vi vid vilka vilken vilket vår våra vårt än är även åt över
            """,
        "da": """
            ad af alle alt anden andet andre at blev blive bliver da de dem den denne der deres det
            dette dig din dine disse dit du efter eller en end er et for fra før få får ham han hans
            har have havde hende hendes her hos hun hvad hvem hver hvilke hvilken hvis hvor hvordan
            hvorfor i ind jeg jer jeres jo kan kom kommer kun kunne man mange med meget mellem men
            mere mig min mine mit mod må nede nogen noget nogle nu når og også om op os over på selv
            siden sig sin sine sit skal skulle som sådan så til ud under var ved vi vil ville vor
            vores være været
            """,
        "no": """
            alle alt andre at av bare ble bli blir blitt både da de deg dei deira dem den denne der
            deres det dette di din disse ditt du eg eit ein eller en enn er et ett etter for fordi
            fra frå få får før gjøre ha hadde han hans har hun henne hennes her hva hvem hver hvilke
            hvilken hvis hvor hvordan hvorfor i inn ikkje ja jeg kan kom kommer korleis kun kunne
            kva kvar man mange med meg meget mellom men mer mest min mine mitt mot må mye noe noen
            nå når og også om opp oss over på seg selv si siden sin sine sitt skal skulle slik som
            så til ut under var ved vi vil ville vår våre vært være vart
            """,
        "fi": """
            eli emme ennen että hän häneen hänellä hänen hänet häntä he heidän heille heitä hyvin
            itse ja jo joiden joissa joita joka joko jonka jos joskus jossa josta jota jotka jotta
            juuri jälkeen kaikki kanssa kautta keitä kenen koko koska kuin kuinka kuka kun kunnes
            kuten me meidän meille meitä mihin miksi mikä mikäli missä mistä mitkä mitä mukaan mutta
            muu muun muut myös myötä ne niiden niin niitä nuo nyt näin nämä näiden niistä olen
            olemme olet olette oli olin olisi olivat olla olleet ollut on ovat poikki sekä se sen
            siellä siihen siinä siitä sillä sinun sinä sitä sitten tai tässä tähän tämä tämän tästä
            te teidän tuo tuon tällä täällä vaan vaikka vain vielä voi voidaan yli
            """,
        "hu": """
            a abban addig ahhoz ahogy ahol aki akik akkor alatt által általában amely amelyek
            amelyet ami amíg amikor annak arra arról át az azért azok azon azt aztán azzal be belül
            benne csak de e ebben eddig egész egy egyéb egyes egyik egyre el elég ellen előtt
            először én ennek erre és ez ezek ezen ezért ezt ezzel fel felé ha hanem hiszen hogy
            hogyan igen illetve így ilyen is ismét itt jó jól kell kellett keresztül ki kívül között
            le legyen lehet lenne lesz lett ma maga magát majd más már meg még mellett mely melyek
            mert mi mikor milyen minden mint mintha mit mivel most ő ők őket olyan össze ott pedig
            persze rá s saját sok sokkal számára szemben szerint szét t talán te tehát teljes több
            tovább újra úgy után utána vagy vagyis vagyok való van vannak vele vissza volna volt
            voltak
            """,
        "ru": """
            а будет будут бы был была были было быть в вам вас ведь весь во вот все всё всего всех
            всю вы где да даже для до другой его ее её ей ему если есть еще ещё ж же за здесь и из
            или им иногда их к каждый как какая какой ко когда который которая которое которые
            которых кто куда ли либо между меня мне много может можно мой моя мы на над надо нам нас
            наш него нее неё ней них но ну о один она они оно он от перед по под после потом потому
            почти при про с сам свой свою себе себя со совсем так также такой там тебя тем теперь то
            тогда того тоже только том тот ту ты у уже хоть хотя чего чем через что чтобы эта эти
            этих это этого этой этом этот эту я
            """,
        "uk": """
            а аби але б будь буде будуть був була були було бути в вам вас ваш вже ви від він вона
            вони воно все всі всіх втім де для до дуже є ж же за з зі із й його йому і їй їм їх її
            інших інші та коли кожен ким крім кого лише між має мати мене мені ми може можна мій моя
            на навіть над нам нас наш нього неї ним них ну о один однак оскільки от ось перед під
            після по при про проте саме свій свої себе собі так також такий такі там твій те тебе
            теж ти тим тих то тоді того той тому тут у хоча це цей ці цих цього цьому ця чи чого
            чому через що щоб щодо ще як яка який яких які якщо я
            """,
        "pl": """
            a aby albo ale bardzo był była było były być by bo będą będzie ci cię co coś czy czyli
            dla do dlaczego dlatego gdy gdyż gdzie go i ich ile im inne inny ja ją jak jaka jakie
            jako jaki je jednak jednym jego jej jemu jest jestem jeszcze jeśli już każdy kiedy kto
            która które którego której który których którym którzy lecz lub ma mają mam mi między
            mnie może można mój my na nad nam nas nasz nawet nią nich nim niż o od on ona one oni
            ono oraz po pod podczas ponieważ poza przed przez przy są sam się sobie swoje swój ta
            tak także taki takie tam te tego tej ten też to tobie tu ty tych tylko tym w we więc
            wszystkie wszystko wy z za zawsze ze że
            """,
        "cs": """
            a aby ač ale anebo ano asi až během bude budou by byl byla byli bylo být co což či další
            do ho i já jak jako jaký je jeho jej její jejich jen ještě jenž jestli jestliže ji jí
            jich jím jsem jsi jsme jsou jste k každý kam kde kdo když ke která které kterého který
            kterou kteří kterých má mají mezi mi mně mne může my mé můj na nad nám nás naše náš nebo
            nebudou než ni nich ním o od ode on ona oni ono pak po pod podle pokud pouze pro proč
            proto protože před přes při s se si sice svůj své svou svých ta tak také takže tam tato
            ten tento této tím těch ti to toho tohle tom tomto tomu toto tu tuto ty tyto u už v vám
            vás váš ve více však vy z za zda ze že
            """,
        "tr": """
            acaba ama ancak arada aslında aynı ayrıca bana bazı belki ben beni benim bile bir biraz
            birçok biri birkaç birşey biz bize bizi bizim böyle bu buna bunda bundan bunlar bunu
            bunun burada bütün çok çoğu çünkü da daha dahi de defa diğer diye dolayı en fakat gibi
            göre hala hangi hatta hem henüz hep hepsi her herhangi herkes için ile ilgili ise işte
            kadar karşı kendi kez ki kim kimse mı mi mu mü nasıl neden nerede nereye niçin niye o
            olan olarak oldu olduğu olduğunu olması olmak olsa olur ona ondan onlar onları onların
            onu onun oysa öyle pek rağmen sadece sanki sen seni senin siz sizi sizin sonra şey şimdi
            şöyle şu tarafından tüm üzere var ve veya ya yani yapılan yerine yine zaten
            """,
        "el": """
            αλλά αν αντί από αυτά αυτές αυτή αυτήν αυτό αυτοί αυτόν αυτός αυτού αυτούς αυτών αφού
            για γιατί δηλαδή εάν εγώ εδώ εκεί εκείνη εκείνο εκείνος εμείς ένα έναν ένας ενός ενώ
            επειδή επί επίσης εσείς έτσι έχει έχουν είναι είμαι ήταν είχε η ή θα ίδιο ίδια και κάθε
            καθώς κάποιος κάτι κατά κι λοιπόν μας με μετά μέχρι μέσα μια μία μιας μου μόνο μπορεί να
            ο οι όλα όλες όλοι όμως όπου όπως όσο όταν ότι παρά πάνω πιο ποια ποιο ποιος πολύ πολλά
            που πού πριν προς πρέπει πως πώς σαν σας σε στα στη στην στις στο στον στους στου της τα
            τη την τι τις το τον του τους των σου τώρα υπό υπάρχει ως ώστε
            """,
        "ar": """
            في من إلى على عن مع هذا هذه ذلك تلك هؤلاء أولئك الذي التي الذين اللذان اللاتي أن إن أنّ
            كان كانت كانوا يكون تكون كل بعض بعد قبل بين حتى إذا إذ لو لولا ثم أو أم بل لكن لكنّ لأن
            هو هي هم هن هما أنا أنت نحن أنتم قد لقد سوف عند عندما حيث كيف متى أين ماذا لماذا أي أية
            كما كذلك أيضا أيضاً منذ خلال تحت فوق أمام وراء حول نحو ضد عليه عليها عليهم إليه إليها
            فيه فيها فيهم منه منها منهم به بها بهم له لها لهم لنا لي لك عنه عنها و ف ب ل ك وهو وهي
            وفي ومن وعلى وإن وأن وقد ولا ولم وكان وكانت كأن إنما إنه إنها أنه أنها أنهم ذات هناك هنا
            مثل نفس إلا سوى يا أما فإن وما مما بما فيما عدة لدى
            """,
    }.items()
}
"""Stop words, in the form that `words` returns."""

KNOWN_WORDS = tuple(
    sorted(
        frozenset[str]().union(NEGATED_VERBS, NEGATING_ENDS, *STOP_WORDS.values()),
        key=str.encode,  # as the core sorts
    )
)
"""All words that have a class in some language."""

_CODE = re.compile(r"[a-z]{2,3}(?![a-z])")
_ALIASES = {"nb": "no", "nn": "no", "mo": "ro", "und": "", "mul": ""}
_SNOWBALL = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}

SAMPLE = 2_000
"""Words that show the language of a text."""
_SHORT = 40  # with fewer words, few stop words are no sign of a language without a list
_CLEARLY_MORE = 1.5  # times as many stop words as the declared language has, and
_CLEAR_LEAD = 8  # so many more: related languages share a half to two thirds of theirs
_CLEARLY_DISTINCT = 4  # a word repeated down a table says nothing about the language
_FOREIGN_SHARE = 0.3  # a declared language without a list gives way only to running text
_KNOWN_SHARE = 0.1


class StopWords(NamedTuple):
    """What the start of a text shows of its language."""

    words: int
    hits: Sequence[int]
    """How many are stop words, of each language of STOP_WORDS."""
    distinct: Sequence[int]
    ascii: bool
    """Whether all words are."""


def language_of(declared: str, text_words: Sequence[str]) -> str:
    """Return the declared language of a text, unless its stop words show another.

    >>> language_of("en-US", words("Der Hund und die Katze sind im Garten, aber wo ist das Kind?"))
    'de'
    >>> language_of("nb_NO", ["fjord"])
    'no'

    An unknown language is the empty string. If nothing is declared, a text of few words, all of
    them ASCII, is taken for English: most such pages are, and a wrong guess only hides the endings
    of words.

    >>> language_of("", ["opening", "hours"]), language_of("", ["öppettider"])
    ('en', '')
    """
    return language_by(declared, stop_words_of(text_words))


def stop_words_of(text_words: Sequence[str]) -> StopWords:
    """Count the stop words of each language at the start of a text."""
    sample = Counter(islice(text_words, SAMPLE))
    hits = [[sample[word] for word in known & sample.keys()] for known in STOP_WORDS.values()]
    return StopWords(
        sample.total(), [*map(sum, hits)], [*map(len, hits)], all(map(str.isascii, sample))
    )


def language_by(declared: str, found: StopWords) -> str:
    """Return the declared language of a text, unless its stop words show another."""
    code, size = _code(declared), found.words
    hits = dict(zip(STOP_WORDS, found.hits, strict=True))
    best = max(hits, key=hits.__getitem__)  # the first of equals: English before all others
    share = hits[best] / size if size else 0.0
    distinct = found.distinct[found.hits.index(hits[best])]
    if code in STOP_WORDS:
        clear = hits[best] >= max(_CLEARLY_MORE * hits[code], hits[code] + _CLEAR_LEAD)
        return best if clear and distinct >= _CLEARLY_DISTINCT else code
    if code:
        return best if share >= _FOREIGN_SHARE and distinct >= _CLEARLY_DISTINCT else code
    if share >= _KNOWN_SHARE and distinct > 1:
        return best
    plain = (size < _SHORT or best == "en") and found.ascii
    return "en" if plain and size else ""


def stemmer(language: str) -> Callable[[str], str] | None:
    """Return the stemmer of a language, if there is one; nothing is downloaded."""
    if language == "en":
        from nltk.stem.porter import PorterStemmer  # takes more than a second: only when needed

        porter: Callable[[str], str] = PorterStemmer().stem
        return porter
    if language not in _SNOWBALL:
        return None
    from nltk.stem.snowball import SnowballStemmer

    name = _SNOWBALL[language]
    if language == "ar":  # it keeps state from the word before: a new one for each word

        def arabic(word: str) -> str:
            return str(SnowballStemmer(name).stem(word))

        return arabic
    snowball: Callable[[str], str] = SnowballStemmer(name).stem
    return snowball


def _code(declared: str) -> str:
    """Return the language of a language tag.

    >>> _code(" EN-us "), _code("nn"), _code("{{ lang }}")
    ('en', 'no', '')
    """
    match = _CODE.match(declared.strip().lower())
    return _ALIASES.get(match.group(), match.group()) if match else ""
