// Tunes itself from inside, through the server of the auto-tuner:
//     cc -O2 62_tune_from_c.c -o transpose
//     python -m jitmdh atf --socket tuner.sock 62_tune_from_c.c &
//     ./transpose tuner.sock
// #atf::tp name "TI" range interval<int>(8, 512) constraint divides(512)
// #atf::tp name "TJ" range interval<int>(8, 512) constraint divides(512)
// #atf::abort_condition evaluations(20)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum { N = 512 };
static double a[N][N], b[N][N];

static void transpose(int ti, int tj) {
    for (int i = 0; i < N; i += ti)
        for (int j = 0; j < N; j += tj)
            for (int ii = i; ii < i + ti; ++ii)
                for (int jj = j; jj < j + tj; ++jj) b[jj][ii] = a[ii][jj];
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int value(const char *answer, const char *name) {  // of "name": 32 in a line of JSON
    const char *found = strstr(answer, name);
    return found ? atoi(found + strlen(name) + 2) : 0;
}

int main(int count, char **arguments) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 2) return 2;
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    int tuner = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(tuner, (struct sockaddr *)&address, sizeof address)) return perror("connect"), 1;
    FILE *answers = fdopen(tuner, "r");
    char line[4096];
    for (;;) {
        dprintf(tuner, "{\"ask\": true}\n");
        if (!fgets(line, sizeof line, answers)) return 1;
        if (strstr(line, "\"done\": true")) break;
        double start = seconds();
        transpose(value(line, "\"TI\""), value(line, "\"TJ\""));
        dprintf(tuner, "{\"tell\": %d, \"cost\": %.9f}\n", value(line, "\"id\""), seconds() - start);
        if (!fgets(line, sizeof line, answers)) return 1;
    }
    printf("best: TI = %d, TJ = %d\n", value(line, "\"TI\""), value(line, "\"TJ\""));
    dprintf(tuner, "{\"stop\": true}\n");
    return fgets(line, sizeof line, answers) == NULL;
}
