"""The Russian of the pages, by the English that templates say."""
# ruff: noqa: E501  sentences are not broken

from collections.abc import Mapping
from typing import Final

NOUNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "answer": ("ответ", "ответа", "ответов"),
    "bot": ("бот", "бота", "ботов"),
    "deal": ("сдача", "сдачи", "сдач"),
    "match": ("матч", "матча", "матчей"),
    "more match": ("матч", "матча", "матчей"),
    "orbit": ("круг", "круга", "кругов"),
    "point": ("очка", "очков", "очков"),
    "player": ("игрок", "игрока", "игроков"),
    "stream": ("серия сдач", "серии сдач", "серий сдач"),
    "table": ("стол", "стола", "столов"),
}
"""One, two to four, five and more; points are always "to" so many, in the genitive."""

RUSSIAN: Final[Mapping[str, str]] = {
    # Every page
    "Skip to the content": "Перейти к содержанию",
    "Pages of the league": "Страницы лиги",
    "Standings": "Таблица",
    "Cross-table": "Кросс-таблица",
    "Matches": "Матчи",
    "The league": "О лиге",
    "Language": "Язык",
    "You are here": "Вы здесь",
    "Fewer points are better. Everything on this site can be computed again from the records of the league.": (
        "Чем меньше очков, тем лучше. Всё на этом сайте можно пересчитать по записям лиги."
    ),
    # Standings
    "{number} at a table": "по {number} за столом",
    "to {points}": "до {points}",
    "Finished": "Завершена",
    "In progress": "Идёт",
    "Not begun": "Не началась",
    "{done} of {all} matches played": "сыграно матчей: {done} из {all}",
    "({counted} count: those of complete orbits)": "(в зачёте {counted}: только полные круги)",
    "Who is better than whom": "Кто кого сильнее",
    "No orbit of the schedule is complete yet. The table begins when every bot has sat in every seat.": "Ни один круг ещё не сыгран полностью. Таблица появится, когда каждый бот сыграет на каждом месте.",
    "{name} wins the league.": "{name} — победитель лиги.",
    "{name} leads.": "Лидирует {name}.",
    "Mean placement {placement}; chance of being the best of the field: {chance}.": "Средний результат {placement}; вероятность быть лучшим из всех: {chance}.",
    "The first place is shared by {names}.": "Первое место делят {names}.",
    "{better} is better than {worse} at 95 %.": "{better} сильнее, чем {worse}, с уверенностью 95 %.",
    "{better} is ahead of {worse}; too early to tell them apart.": "{better} опережает {worse}, но судить о разнице рано.",
    "{better} and {worse} cannot be told apart yet: about {matches} of each would do.": "Кто сильнее, {better} или {worse}, пока неясно: каждому надо сыграть ещё примерно {matches}.",
    "{better} and {worse} cannot be told apart; nothing suggests that they differ.": "Разницы между {better} и {worse} не видно, и ничто на неё не указывает.",
    "Tiers: bots between two red lines do not differ surely from the first of them.": "Группы: боты между двумя красными линиями; их отставание от первого из них недостоверно.",
    "{streams} so far; differences are marked from {needed} on.": "Пока {streams}; различия отмечаются начиная с {needed}.",
    "Sort by": "Сортировка:",
    "Standings by mean placement: 1 is always first, 0 always last. The bars are 95 % intervals.": (
        "Порядок по среднему результату: 1 — всегда первый, 0 — всегда последний. Полоски — 95-процентные интервалы."
    ),
    "Standings by points a deal, the fewer the better. Placement: 1 is always first, 0 always last. The bars are 95 % intervals.": (
        "Порядок по очкам за сдачу: чем меньше, тем лучше. Результат: 1 — всегда первый, 0 — всегда последний. Полоски — 95-процентные интервалы."
    ),
    "Standings by the share of wins. Placement: 1 is always first, 0 always last. The bars are 95 % intervals.": (
        "Порядок по доле побед. Результат: 1 — всегда первый, 0 — всегда последний. Полоски — 95-процентные интервалы."
    ),
    "Rank": "Место",
    "Bot": "Бот",
    "Placement": "Результат",
    "Interval": "Интервал",
    "Points": "Очки",
    "a deal": "за сдачу",
    "Points a deal": "Очки за сдачу",
    "Wins": "Победы",
    "Moons": "Луны",
    "Chips": "Фишки",
    "Faults": "Ошибки",
    "Best of all": "Лучший",
    "chance": "вероятность",
    "Strength": "Рейтинг",
    "Thinking": "Обдумывание",
    "Thinking, p50 / p99": "Время, p50 / p99",
    "of {all}": "из {all}",
    "rank with 95 % confidence": "место с уверенностью 95 %",
    "matches forfeited": "технические поражения",
    "Bot against bot": "Бот против бота",
    "How to verify all this": "Как всё это проверить",
    "How to read this": "Как это читать",
    "Chance of being best": "Шанс быть лучшим",
    (
        "The first of a table gets 1, the last 0, the others evenly between; ties share. The interval takes into "
        "account that several tables play the same deals. Small under the rank: the ranks that are possible at 95 %."
    ): (
        "Первый за столом получает 1, последний 0, остальные через равные промежутки между ними; при равенстве делят поровну. "
        "Интервал учитывает, что за несколькими столами играют одни и те же сдачи. Мелко под местом — места, возможные "
        "с уверенностью 95 %."
    ),
    "Penalty points a deal: fewer are better.": "Штрафные очки за сдачу: чем меньше, тем лучше.",
    "Share of the matches that the bot won; a shared win is split.": (
        "Доля выигранных матчей; общая победа делится поровну."
    ),
    "Deals in which the bot took all the hearts, the queen of spades and the ten of diamonds.": (
        "Сдачи, в которых бот взял все черви, даму пик и десятку бубен."
    ),
    "Deals in which the bot took all the hearts and the queen of spades.": (
        "Сдачи, в которых бот взял все черви и даму пик."
    ),
    "What the players pay each other after every deal: more are better. They do not count for the rank.": (
        "Расчёт между игроками после каждой сдачи: чем больше, тем лучше. На место не влияет."
    ),
    "Answers that were illegal, malformed, late or never came; in red, matches forfeited.": (
        "Недопустимые, непонятные, опоздавшие и не пришедшие ответы; красным — технические поражения."
    ),
    "The chance that the bot is the strongest of the field, as far as the matches tell.": (
        "Вероятность того, что бот сильнее всех, насколько можно судить по матчам."
    ),
    "A Plackett–Luce rating, 1500 on average: more is better.": (
        "Рейтинг Плакетта — Люса, в среднем 1500: чем больше, тем лучше."
    ),
    "Half of the answers took no longer than p50, 99 of 100 no longer than p99.": (
        "Половина ответов заняла не больше p50, 99 из 100 — не больше p99."
    ),
    # Cross-table
    (
        "Mean difference of placement at shared tables, the bot of the row less the bot of the column; "
        "small, the number of matches. A cell leads to the matches behind it."
    ): (
        "Средняя разность результатов за общими столами: бот в строке минус бот в столбце; мелко — число матчей. "
        "Ячейка ведёт к самим матчам."
    ),
    "surely better (95 %, over all pairs together)": "достоверно сильнее (95 %, с учётом всех пар)",
    "probably better (95 %, this pair alone)": "вероятно, сильнее (95 %, только эта пара)",
    "probably worse": "вероятно, слабее",
    "surely worse": "достоверно слабее",
    "No pair has met on enough deal streams for its difference to be marked.": "Ни одна пара не сыграла достаточно серий сдач, чтобы отмечать разницу.",
    "Bots in the order of the standings": "Боты в порядке турнирной таблицы",
    # Lists of matches and leagues
    "Parts of the list": "Части списка",
    "In the order of the schedule; bots by place, with their points": "В порядке расписания; боты по занятым местам, с очками",
    "Match": "Матч",
    "Result": "Итог",
    "Deals": "Сдачи",
    "Same deals": "Серия сдач",
    "{deals} so far": "сыграно: {deals}",
    "to come": "предстоит",
    "Leagues": "Лиги",
    "Beside a bot stands its mean placement: 1 is always first, 0 always last.": (
        "Рядом с ботом — его средний результат: 1 — всегда первый, 0 — всегда последний."
    ),
    "There is no league yet.": "Лиг пока нет.",
    # The same deals
    "Same deals {number}": "Серия сдач {number}",
    "The same deals, side by side": "Одни и те же сдачи рядом",
    "{done} of {all} tables that play these deals have finished.": "Эти сдачи доиграны за столами: {done} из {all}.",
    "In each seat lie the same cards at every table: a column compares how they were played.": (
        "На каждом месте за всеми столами одни и те же карты: столбец показывает, как их разыграли."
    ),
    "Coloured: more or fewer points than the other tables took on average.": (
        "Цветом — на сколько очков больше или меньше, чем в среднем за другими столами."
    ),
    "stream": "серия",
    "Deal {number}": "Сдача {number}",
    "Deal {number}: points by seat at every table": "Сдача {number}: очки по местам за каждым столом",
    "Seat {number}": "Место {number}",
    "Moon": "Луна",
    "Mean": "Среднее",
    # A match
    "Match {number}": "Матч {number}",
    "ended when a total reached {points}": "закончен, когда сумма достигла {points}",
    "ended after the last deal that was allowed": "закончен по числу сдач",
    "{time} of play": "игра длилась {time}",
    "Place": "Место",
    "Seat": "№ за столом",
    "Same cards elsewhere": "С теми же картами",
    "here": "здесь",
    "mean of the other tables": "у других в среднем",
    "mean an answer": "в среднем на ответ",
    "forfeited": "техническое поражение",
    "The race: totals after each deal; the dashed line is the end of the match at {target}": "Ход матча: суммы после каждой сдачи; пунктир — конец матча, {target}",
    "Score sheet": "Протокол матча",
    "Points of each deal and, in bold, the running total; red: the most of the deal; underlined: who leads.": (
        "Очки за каждую сдачу; жирным — сумма; красным — больше всех в сдаче; подчёркнут лидер."
    ),
    "Small: what the other tables took on average with the same cards.": "Мелко — сколько в среднем взяли с теми же картами за другими столами.",
    "Deal": "Сдача",
    "Notes": "Примечания",
    "Total": "Всего",
    "Replay this deal": "Посмотреть эту сдачу",
    "shot the moon": "луна: взял все штрафные карты",
    "stopped the deal by a revoke": "прервал сдачу фальшренонсом",
    "{name} shot the moon": "луна: {name}",
    "stopped: revoke of {name}": "прервана, фальшренонс: {name}",
    "The cards are shown when all tables that play these deals have finished.": "Карты откроются, когда эти сдачи доиграют за всеми столами.",
    "How did others play these cards?": "Как эти карты разыграли другие?",
    "played the same deals:": "с теми же сдачами:",
    "Compare them deal by deal": "Сравнить по сдачам",
    "Everything that went wrong in this match": "Всё, что пошло не так в этом матче",
    "None.": "Нет.",
    # Faults
    "Where": "Где",
    "What": "Что",
    "Why": "Почему",
    "What followed": "Последствие",
    "Time": "Время",
    "limit": "предел",
    "match {number}": "матч {number}",
    "deal {number}": "сдача {number}",
    "trick {number}": "взятка {number}",
    "before the first lead": "до первого хода",
    "illegal answer": "недопустимый ответ",
    "malformed answer": "непонятный ответ",
    "time-out": "время вышло",
    "unreachable": "нет связи",
    "another try": "ещё одна попытка",
    "the arena played the lowest legal card": "арена сыграла младшую допустимую карту",
    "the deal was stopped": "сдача прервана",
    "a stand-in took the seat to the end of the match": "до конца матча играла замена",
    "pass": "передача",
    "card": "карта",
    "discard": "снос",
    "answer": "ответ",
    "not sent": "не отправлено",
    "sent after {time}": "отправлено через {time}",
    "the arena was late by {time}": "арена задержала на {time}",
    "the answer came after {time}": "ответ пришёл через {time}",
    "the bot says it thought for {time}": "бот сообщает, что думал {time}",
    "told when all tables with these cards have finished": "откроется, когда эту сдачу доиграют за всеми столами",
    # Reasons of faults
    "no answer within {limit} s": "нет ответа за {limit} с",
    "not asked, as the bank has no time left": "вопрос не задан: запас времени исчерпан",
    "; the connection was lost for {away} s of {elapsed} s": "; связи не было {away} с из {elapsed} с",
    ", and the grace of {grace} s is spent": ", льготное время ({grace} с) исчерпано",
    "; the house plays on: the grace is spent": "; дальше играет замена: льготное время исчерпано",
    "; the house plays on: the bank is empty": "; дальше играет замена: запас времени исчерпан",
    "; the house plays on: {stops} deals stopped by revokes": "; дальше играет замена: сдач, прерванных фальшренонсом, — {stops}",
    "; the house plays on: {strikes} questions without an answer of its own": "; дальше играет замена: вопросов без собственного ответа — {strikes}",
    "a walk-over: the bot was away when the time of the run was over": "неявка: бота не было, когда истекло время тура",
    "seat {seat} names what is no card: {cards}": "место {seat} называет то, что не карта: {cards}",
    "seat {seat} does not hold {cards}": "у места {seat} нет карты {cards}",
    "one card is asked for, not {number}": "нужна одна карта, а названо карт: {number}",
    "{number} cards": "названо карт: {number}",
    "no cards": "не названо ни одной карты",
    "{number} is not a card": "{number} — не карта",
    # A bot
    "Rank {rank} of {bots}": "{rank}-е место из {bots}",
    "tier {tier}": "группа {tier}",
    "No match that counts yet": "Зачётных матчей пока нет",
    "Mean placement": "Средний результат",
    "{number} suffered": "от соперников: {number}",
    "{number} forfeited": "проиграно технически: {number}",
    "By seat": "По местам за столом",
    "Results in each seat; seat 1 is on the dealer's left in the first deal": (
        "Результаты на каждом месте; первое — слева от сдающего в первой сдаче"
    ),
    "Points per deal": "Очки за сдачу",
    "How many deals ended with so many points; {mean} on average": "Сколько сдач принесло столько очков; в среднем {mean}",
    "Thinking time": "Время обдумывания",
    "{answers} by how long they took; every column twice as long as the one before": "{answers} по длительности; каждый столбец — вдвое дольше предыдущего",
    "Others with these cards": "У других с этими картами",
    "Deals to look at": "Примечательные сдачи",
    "Best against the same cards": "Лучше других с теми же картами",
    "Worst against the same cards": "Хуже других с теми же картами",
    "Moons shot": "Луны",
    "Opponents": "Соперники",
    "Placement less the opponent's at shared tables, with its 95 % interval": "Результат минус результат соперника за общими столами, с 95-процентным интервалом",
    "Opponent": "Соперник",
    "Difference": "Разность",
    "Which": "Номера матчей",
    "Earlier ones, {number}, are on the pages of their matches.": "Более ранние, {number}, — на страницах своих матчей.",
    "Everything that went wrong, in the order of the schedule": "Всё, что пошло не так, в порядке расписания",
    "Every finished match of this bot": "Все сыгранные матчи этого бота",
    "Others, by place": "Остальные, по местам",
    # About the league
    "About the league": "О лиге",
    "at most {deals} a match": "не более чем {deals} в матче",
    "The rules in short": "Правила коротко",
    "Options": "Варианты правил",
    "not the default": "не по умолчанию",
    "Schedule and balance": "Расписание и равенство условий",
    "In an orbit every bot sits once in every seat.": "За круг каждый бот по разу сидит на каждом месте.",
    "Tables of one stream play the same deals, so that luck with the cards is compared away.": "Столы одной серии играют одни и те же сдачи, поэтому везение с картами уравнивается.",
    "Every match has deals of its own.": "У каждого матча свои сдачи.",
    "Matches of a bot": "Матчей у бота",
    "Matches in a seat": "Матчей на каждом месте",
    "Meetings of two bots": "Встреч у пары ботов",
    "As left neighbour": "Один слева от другого",
    "House bots, which fill up tables and are not ranked:": "Боты арены, дополняющие столы вне зачёта:",
    "away": "отсутствует",
    "The league waits for these bots and plays their matches later:": "Лига ждёт этих ботов и сыграет их матчи позже:",
    "How often each bot went wrong": "Сколько раз ошибся каждый бот",
    "Forfeits": "Технические поражения",
    (
        "Every deal follows from a secret seed by a published recipe, HEARTS-DEAL-1. The commitment was published when "
        "the league was created: it is a digest of the seed, so the seed cannot be changed afterwards. The seed is "
        "published when the league ends; then anybody can recompute the commitment and every deal, replay every "
        "record, and compute the standings again."
    ): (
        "Каждая сдача выводится из секретного зерна по опубликованному рецепту HEARTS-DEAL-1. При создании лиги "
        "опубликовано обязательство — хеш зерна, поэтому подменить зерно позже нельзя. Само зерно публикуется в "
        "конце лиги; тогда каждый может проверить обязательство, заново получить все сдачи, переиграть все записи и "
        "пересчитать таблицу."
    ),
    "Commitment": "Обязательство",
    "Seed": "Зерно",
    "secret until the league ends": "секрет до конца лиги",
    "Beacon": "Маяк случайности",
    "Hash of the schedule": "Хеш расписания",
    "Hash of the rules": "Хеш правил",
    "Pages count matches, deals, tricks and seats from 1; records and addresses count from 0.": "На страницах матчи, сдачи, взятки и места нумеруются с 1, в записях и адресах — с 0.",
    "Settings": "Настройки",
    "Created": "Создана",
    # The replayer
    "Replay": "Просмотр сдачи",
    "The replayer needs JavaScript; everything else on this site does without.": (
        "Для просмотра сдач нужен JavaScript; всё остальное на сайте обходится без него."
    ),
    "Card table": "Карточный стол",
    "Steps": "Шаги",
    "Start": "В начало",
    "Trick back": "Взятка назад",
    "Step back": "Шаг назад",
    "Play by itself": "Автопоказ",
    "Step on": "Шаг вперёд",
    "Trick on": "Взятка вперёд",
    "End": "В конец",
    "Step": "Шаг",
    "View": "Вид",
    "Same cards at": "Те же карты:",
    "Tricks": "Взятки",
    "Cards in the order in which they were played; the one that won is marked. Click a trick to go there.": "Карты в порядке розыгрыша; взявшая отмечена. Номер взятки ведёт к ней.",
    "Trick": "Взятка",
    "Cards": "Карты",
    "Winner": "Взял",
    "Keys": "Клавиши",
    (
        "← → a step, ↑ ↓ a trick, Home and End, P plays by itself, V changes the view. "
        "The address always names the moment that is shown."
    ): (
        "← → — шаг, ↑ ↓ — взятка, Home и End — начало и конец, P — автопоказ, V — сменить вид. Адрес страницы всегда "
        "ведёт к показанному моменту."
    ),
    "Letter keys P and V": "Клавиши-буквы P и V",
    "Turn them off if you dictate or press letters by chance. This browser remembers it.": "Отключите их, если диктуете или случайно задеваете буквы. Браузер это запомнит.",
    "Match {match}, deal {deal}": "Матч {match}, сдача {deal}",
    "The cards as they were dealt. Dealer: {name}.": "Карты сданы. Сдающий: {name}.",
    "Everybody has chosen the cards to pass.": "Все выбрали карты для передачи.",
    "The passed cards have arrived.": "Карты переданы.",
    "Trick {trick}: {name} plays {card}.": "Взятка {trick}: {name} кладёт {card}.",
    "Trick {trick}: {name} leads {card}.": "Взятка {trick}: {name} ходит {card}.",
    "{name} wins the trick: {points}.": "Взятку берёт {name}, очки: {points}.",
    "All cards of the suit led cancel each other; the trick waits.": "Карты масти хода взаимно отменились; взятка ждёт следующего.",
    "{name} draws {cards} from the stock.": "{name} берёт из запаса (карт: {cards}).",
    "{name} takes the widow.": "{name} берёт прикуп.",
    "{name} lays away {cards}.": "{name} сносит: {cards}.",
    "{name} keeps the last hand and takes the stock.": "{name} оставляет себе последние карты и берёт запас.",
    "The deal is over.": "Сдача закончена.",
    "The deal was stopped: revoke of {name}.": "Сдача прервана, фальшренонс: {name}.",
    "{name} shot the moon.": "Луна: {name} взял все штрафные карты.",
    "open": "все карты открыты",
    "only {name}": "только {name}",
    "Deal {deal}": "Сдача {deal}",
    "match {match}": "матч {match}",
    "Stock": "Запас",
    "Widow": "Прикуп",
    "Kitty": "Остаток",
    "Waiting": "Ждут",
    "Laid away": "Снос",
    "hearts not open yet": "черви ещё закрыты",
    "hearts are open": "черви открыты",
    "dealer": "сдающий",
    "to play": "его ход",
    "{cards} in hand": "карт на руках: {cards}",
    "{tricks} taken": "взяток: {tricks}",
    "{points} p.": "{points} оч.",
    "waits": "ждёт",
    "No deal of this address is published. Choose a match that has finished at all tables of its deals.": "По этому адресу нет открытой сдачи. Выберите матч, сдачи которого доиграны за всеми столами.",
    "The deals could not be loaded: {file} is missing.": "Не удалось загрузить сдачи: нет файла {file}.",
    "clubs": "трефы",
    "diamonds": "бубны",
    "spades": "пики",
    "hearts": "черви",
}
