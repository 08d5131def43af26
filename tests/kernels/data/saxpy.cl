#atf::var::N $1

// Step 1: Describing the Search Space
#atf::tp name      "WPT"                      // name
    range         interval<size_t>( 1,N )    // range
    constraint    divides( N )               // constraints

#atf::tp name      "LS"
    range         interval<size_t>( 1,N )
    constraint    divides( N/WPT )

// Step 2: Implementing the Cost Function
#atf::ocl::platform 0                        // OpenCL platform
#atf::ocl::device  0                         // OpenCL device

#atf::ocl::input scalar<int>( N )            // N
#atf::ocl::input scalar<float>()             // a
#atf::ocl::input buffer<float>( N )          // x
#atf::ocl::input buffer<float>( N )          // y

#atf::ocl::global_size N/WPT                 // OpenCL global size
#atf::ocl::local_size LS                     // OpenCL local size

// Step 3: Starting the Search Process
#atf::search_technique auc_bandit
#atf::abort_condition duration<minutes>( 10 ) || evaluations( 4 )

__kernel void saxpy( const      int    N,
                     const      float  a,
                     const __global float* x,
                     __global float* y
                     )
{
    for( int w = 0; w < WPT; ++w )
    {
        const int index = w * get_global_size(0) + get_global_id(0);
        y[ index ] += a * x[ index ];
    }
}
