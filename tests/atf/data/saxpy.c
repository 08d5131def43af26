// #atf::var::N $1
//
// Step 1: describing the search space (thesis, Listing 24)
// #atf::tp name       "WPT"                    // work per thread
//          range      interval<size_t>( 1,N )
//          constraint divides( N )
//
// #atf::tp name       "LS"
//          range      interval<size_t>( 1,N )
//          constraint divides( N/WPT )
//
// Step 2: the cost function
// #atf::compile_script cc -O1 $ATF_FLAGS "$ATF_SOURCE" -o "$ATF_BINARY"
// #atf::run_script     "$ATF_BINARY" saxpy.cost
// #atf::cost_file      saxpy.cost
//
// Step 3: the search
// #atf::search_technique auc_bandit
// #atf::abort_condition  evaluations( 6 ) || duration<minutes>( 1 )

#include <stdio.h>
#include <stdlib.h>

/* Listing 23 in C: groups of LS work-items, WPT elements each. */
static void saxpy(int n, float a, const float *x, float *y) {
    const int global_size = n / WPT;
    for (int group = 0; group < global_size / LS; ++group)
        for (int local = 0; local < LS; ++local)
            for (int w = 0; w < WPT; ++w) {
                const int index = w * global_size + group * LS + local;
                y[index] += a * x[index];
            }
}

int main(int argc, char **argv) {
    int n = N;
    float *x = calloc(n, sizeof(float)), *y = calloc(n, sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;
    saxpy(n, 2.0f, x, y);
    for (int i = 0; i < n; ++i)
        if (y[i] != 2.0f * i) return 1;
    /* a made-up, deterministic cost, so that the test can know the best configuration */
    FILE *f = fopen(argv[1], "w");
    fprintf(f, "%d, %d\n", abs(WPT - 4), LS);
    fclose(f);
    return 0;
}
